// A part of npm run soak: runs of a sync of 10 million rows, within the memory that those of a million have. Ends with 1 when they
// take more. `TRIBUTARY_BENCH_ROWS` makes it shorter; it takes about half an hour.

import { measureManyRows } from './figures/syncs.ts'
import { printFigures, sizeOf } from './harness.ts'

process.exitCode = printFigures(await measureManyRows(sizeOf('ROWS', 10_000_000))) ? 0 : 1
