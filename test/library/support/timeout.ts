// Databases of several megabytes, and processes that start, on a busy machine.
jest.setTimeout(120_000);
