// A part of npm run soak: runs of a sync of 10 million rows, within the memory that runs of a million rows take. Ends
// with code 1 if they take more. The test takes about half an hour; `TRIBUTARY_BENCH_ROWS` makes it shorter.

import { measureManyRows } from './figures/syncs.ts'
import { printFigures, sizeOf } from './harness.ts'

process.exitCode = printFigures(await measureManyRows(sizeOf('ROWS', 10_000_000))) ? 0 : 1
