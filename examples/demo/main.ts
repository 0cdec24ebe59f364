import { startDemo } from './demo';
import { runUntilStopped } from './run';

runUntilStopped(startDemo);
