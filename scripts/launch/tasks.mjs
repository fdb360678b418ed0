/**
 * A root command:
 * - `script`: runs under the pinned Node.
 * - `builds`: the web application and the server are built first.
 * - `isBuild`: the command runs a build itself.
 * - `restarts`: the command is started again if one of its threads does not respond.
 * - `isForDevelopers`: the command needs test tools, browsers, and linters, which are installed for it.
 * - `takesPassword`: the command gets the password of the first administrator through a pipe, so that its environment
 *   does not contain the password.
 * - `options`: the lines of `--help` after the usage line; `node`: the options that are passed to Node.
 *
 * @typedef {{ script: string, builds?: boolean, isBuild?: boolean, isForDevelopers?: boolean, takesPassword?: boolean,
 * restarts?: boolean, node?: readonly string[], does: string, usage?: string, options?: readonly string[] }} Task
 */

/**
 * Every root command by its name in package.json.
 *
 * @type {Readonly<Record<string, Task>>}
 */
export const tasks = {
  start: {
    script: 'apps/server/dist/main.mjs',
    builds: true,
    isBuild: true,
    takesPassword: true,
    restarts: true,
    // The size in MiB. The young generation of the main thread is three times this size. Without the limit, it grew to
    // 100 MiB under load and never shrank. With half of this size, an event takes a sixth more processor time.
    node: ['--max-semi-space-size=16'],
    does: 'Installs and builds what is missing, and runs Tributary. docs/configuration.md lists its settings.',
  },
  dev: {
    isForDevelopers: true,
    script: 'scripts/dev.ts',
    does: 'Runs the server with restart on changes, the web application with hot reload, and an OpenID provider with test users.',
  },
  test: {
    isForDevelopers: true,
    script: 'scripts/test.ts',
    builds: true,
    does: 'Runs the unit, product, and browser tests, or only the named suites.',
    usage: '[-- unit|product|browser …]',
  },
  check: {
    isForDevelopers: true,
    script: 'scripts/check.ts',
    does: 'Checks format, lint, types, import directions, connectors, and dead code.',
  },
  spec: {
    isForDevelopers: true,
    script: 'scripts/spec.ts',
    does: 'Shows which rows of docs/requirements.md the last `npm test` proved.',
    usage: '[-- <area> … --missing]',
    options: ['<area>     only rows of this area, such as AUTH', '--missing  only rows that are not proven'],
  },
  format: { isForDevelopers: true, script: 'scripts/format.ts', does: 'Formats the whole tree and sorts imports.' },
  bench: {
    isForDevelopers: true,
    script: 'bench/main.ts',
    builds: true,
    does: 'Measures every speed promise against a baseline in the same run, or only the named ones.',
    usage: '[-- <name> …]',
  },
  soak: {
    isForDevelopers: true,
    script: 'scripts/soak.ts',
    builds: true,
    does: 'Runs the fault, durability, and power-loss tests for many rounds, the setup pages with the SDKs of other languages, two versions together, and 50 million events.',
    usage: '[-- <rounds> | languages | spreads | versions [<ref>] | events]',
    options: [
      '<rounds>   20 by default',
      'languages  only the setup pages',
      'spreads    only faults in the middle of changes of a spread',
      'versions   only two versions together; the one before is that of a commit, by default before the newest migration',
      'events     only the events',
    ],
  },
  screenshots: {
    isForDevelopers: true,
    script: 'e2e/screenshots.ts',
    builds: true,
    does: 'Takes a picture of every screen in every state, and checks it.',
    usage: '[-- <screen> …]',
  },
  demo: {
    script: 'scripts/demo.ts',
    does: 'Sends sample events of a fictional shop to a running Tributary.',
    usage: '[-- <options>]',
    options: [
      '--url <address>    the URL; http://127.0.0.1 with the port of PORT by default',
      '--email <address>  the account; TRIBUTARY_ADMIN_EMAIL by default',
      '--password <text>  its password; TRIBUTARY_ADMIN_PASSWORD by default',
      '--events <count>   how many; endless by default',
      '--rate <count>     how many a second; 5 by default',
    ],
  },
  backup: {
    script: 'scripts/backup.ts',
    does: 'Writes the whole data folder to one archive. Tributary must be stopped.',
    usage: '-- <file>',
  },
  restore: {
    script: 'scripts/restore.ts',
    does: 'Replaces the data folder with a backup. Tributary must be stopped.',
    usage: '-- <file> [--force]',
    options: ['--force  moves an existing data folder aside'],
  },
  'copy-pictures': {
    script: 'scripts/copy-pictures.ts',
    does: 'Copies uploaded pictures from the data folder to the bucket in BLOBS_S3_BUCKET. Tributary can be running or stopped.',
  },
  connector: {
    isForDevelopers: true,
    script: 'scripts/connector.ts',
    does: 'Creates the folder of a new destination, and lists what to fill in. Without a name, makes the catalog of connectors anew.',
    usage: '[-- <slug>]',
  },
  'admin-password': {
    script: 'scripts/admin-password.ts',
    does: 'Sets a new password for an administrator: TRIBUTARY_ADMIN_PASSWORD, or a generated one that is printed. Tributary can be running or stopped.',
    usage: '[-- --email <address>]',
    options: ['--email <address>  the administrator; the first one by default'],
  },
  'rebuild-profiles': {
    script: 'scripts/rebuild-profiles.ts',
    does: 'Creates profiles again from the history of their merges and splits. Tributary can be running or stopped.',
    usage: '[-- --workspace <id>]',
    options: ['--workspace <id>  only profiles of this workspace'],
  },
  spread: {
    script: 'scripts/spread.ts',
    does: 'Shows the workspaces that are in more than one partition, or puts one into as many as are given.',
    usage: '[-- <workspace> <partitions> [--gone]]',
    options: ['--gone  processes that collect and have not been seen for a while do not run any more'],
  },
  'set-aside': {
    script: 'scripts/set-aside.ts',
    does: 'Lists accepted requests that could not be processed, and what is held because it blocked a thread twice, and has Tributary work on them again. Tributary can be running or stopped.',
    usage: '[-- show <id> | take-back <id> | take-back --all | drop <id>]',
    options: [
      'show <id>        prints the body of a request',
      'take-back <id>   has it processed again, or does not hold it any more; --all takes every one',
      'drop <id>        removes it for good: its events are not stored',
    ],
  },
  positions: {
    script: 'scripts/positions.ts',
    does: 'Shows how far processing, delivery, profiles, and signals are, and sets delivery back, so that it sends events again. Tributary can be running or stopped to show, and must be stopped to set back.',
    usage: '[-- --partitions | reset delivery --to <time> [--yes]]',
    options: [
      '--partitions  shows each partition of the logs',
      '--to <time>   such as 2026-01-31T09:00:00Z, or beginning for all that the log keeps',
      '--yes         does it; without it, the number of events is shown and nothing changes',
    ],
  },
  'realtime-keys': {
    script: 'scripts/realtime-keys.ts',
    does: 'Prints the app ID, key, and secret for server libraries of the Pusher protocol.',
  },
  'rotate-key': {
    script: 'scripts/rotate-key.ts',
    does: 'Encrypts all credentials with a new secret key. Tributary must be stopped.',
    usage: '[-- --new-key-file <file>]',
    options: ['--new-key-file <file>  uses the key in this file, at least 32 characters; generated by default'],
  },
}

/**
 * Returns the text of `npm run <name> -- --help`.
 * @param {string} name
 * @param {Task} task
 */
export const helpOf = (name, { does, usage, options = [] }) => {
  const command = name === 'start' || name === 'test' ? `npm ${name}` : `npm run ${name}`
  const lines = [`Usage: ${command}${usage === undefined ? '' : ` ${usage}`}`, '', does]
  if (options.length > 0) lines.push('', ...options.map((line) => `  ${line}`))
  return `${lines.join('\n')}\n`
}
