// npm run soak: the long tests.
// - the fault, durability and power-loss tests with many rounds
// - the set-up pages for other languages with the real SDKs from their registries
// - faults of three brokers, of several processes, and during changes of a spread
// - hostile work on three processes, and two versions together
// - 50 million events, a sync of 10 million rows, and a file of 2 GB
// There are 20 rounds; `npm run soak -- 50` runs 50. `npm run soak -- languages` runs only the set-up pages. The
// arguments `processes`, `spreads`, `hostile`, `versions`, `events`, `rows` and `file` select other tests in the same
// way. `npm run soak -- versions <ref>` names the version before.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const measure = (script: string): number | null =>
  spawnSync(process.execPath, [fileURLToPath(new URL(`../bench/${script}.ts`, import.meta.url))], { stdio: 'inherit' })
    .status
if (process.argv[2] === 'events') process.exit(measure('many-events') ?? 1)
if (process.argv[2] === 'rows') process.exit(measure('many-rows') ?? 1)
if (process.argv[2] === 'file') process.exit(measure('large-file') ?? 1)

const processes = (): number | null => spawnSync('vitest', ['run', '--project', 'soak'], { stdio: 'inherit' }).status
if (process.argv[2] === 'processes') process.exit(processes() ?? 1)
for (const name of ['spreads', 'hostile'])
  if (process.argv[2] === name)
    process.exit(
      spawnSync('vitest', ['run', '--project', 'soak', `e2e/soak/${name}`], { stdio: 'inherit' }).status ?? 1,
    )
if (process.argv[2] === 'versions') {
  const env = { ...process.env, SOAK_VERSION_BEFORE: process.argv[3] ?? '' }
  process.exit(
    spawnSync('vitest', ['run', '--project', 'soak', 'e2e/soak/versions'], { stdio: 'inherit', env }).status ?? 1,
  )
}

const languages = spawnSync('vitest', ['run', '--project', 'languages'], { stdio: 'inherit' })
if (process.argv[2] === 'languages') process.exit(languages.status ?? 1)

const rounds = process.argv[2] ?? '20'
const run = spawnSync(
  'vitest',
  [
    'run',
    '--project',
    'unit',
    '--project',
    'product',
    '--project',
    'product-alone',
    '-t',
    'kill|crash|fault|random|power|plain evaluation|streams in|no reference makes a call fail|several times at once|under writes',
  ],
  {
    stdio: 'inherit',
    env: { ...process.env, SOAK_ROUNDS: rounds },
  },
)
const failed = [
  run.status,
  languages.status,
  processes(),
  measure('many-events'),
  measure('many-rows'),
  measure('large-file'),
].find((status) => status !== 0)
process.exit(failed === undefined ? 0 : (failed ?? 1))
