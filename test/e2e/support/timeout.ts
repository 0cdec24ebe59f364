const ONE_TEST_AT_MOST_MS = 180_000;

jest.setTimeout(ONE_TEST_AT_MOST_MS);
