// npm run soak: the fault and durability tests with many rounds. `npm run soak -- 50` sets the rounds (20 by default).
import { spawnSync } from 'node:child_process'

const rounds = process.argv[2] ?? '20'
const run = spawnSync(
  'vitest',
  ['run', '--project', 'unit', '--project', 'product', '--project', 'product-alone', '-t', 'killed|crash|fault|random'],
  {
    stdio: 'inherit',
    env: { ...process.env, SOAK_ROUNDS: rounds },
  },
)
process.exit(run.status ?? 1)
