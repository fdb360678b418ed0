// npm run soak: the fault and durability tests with many rounds, and the set-up pages for other languages with the real
// SDKs from their registries. `npm run soak -- 50` sets the rounds (20 by default); `npm run soak -- languages` runs the
// set-up pages alone.
import { spawnSync } from 'node:child_process'

const languages = spawnSync('vitest', ['run', '--project', 'languages'], { stdio: 'inherit' })
if (process.argv[2] === 'languages') process.exit(languages.status ?? 1)

const rounds = process.argv[2] ?? '20'
const run = spawnSync(
  'vitest',
  ['run', '--project', 'unit', '--project', 'product', '--project', 'product-alone', '-t', 'killed|crash|fault|random'],
  {
    stdio: 'inherit',
    env: { ...process.env, SOAK_ROUNDS: rounds },
  },
)
process.exit(run.status === 0 ? (languages.status ?? 1) : (run.status ?? 1))
