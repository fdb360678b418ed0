/**
 * A root command. `script` is run under the pinned Node, after the web application is built where `web` says so.
 * `options` are the lines of its `--help` behind its usage.
 *
 * @typedef {{ script: string, web?: boolean, does: string, usage?: string, options?: readonly string[] }} Task
 */

/**
 * Every root command by its name in package.json.
 *
 * @type {Readonly<Record<string, Task>>}
 */
export const tasks = {
  start: {
    script: 'apps/server/src/main.ts',
    web: true,
    does: 'Installs what is missing, builds the web application and runs Tributary. docs/configuration.md lists its settings.',
  },
  dev: {
    script: 'scripts/dev.ts',
    does: 'Runs the server with restart on change, the web application with hot reload, and an OpenID provider with test users.',
  },
  test: {
    script: 'scripts/test.ts',
    web: true,
    does: 'Runs the unit, product and browser tests, or only the named suites.',
    usage: '[-- unit|product|browser …]',
  },
  check: {
    script: 'scripts/check.ts',
    does: 'Checks format, lint, types, import directions, connectors and dead code.',
  },
  spec: {
    script: 'scripts/spec.ts',
    does: 'Shows which rows of docs/requirements.md the last `npm test` has proven.',
    usage: '[-- <area> … --missing]',
    options: ['<area>     only rows of this area, such as AUTH', '--missing  only rows that are not proven'],
  },
  format: { script: 'scripts/format.ts', does: 'Formats the whole tree and sorts imports.' },
  bench: {
    script: 'bench/main.ts',
    web: true,
    does: 'Measures every speed promise against a baseline in the same run, or only the named ones.',
    usage: '[-- <name> …]',
  },
  soak: {
    script: 'scripts/soak.ts',
    web: true,
    does: 'Runs the fault and durability tests with many rounds, and the set-up pages with the SDKs of other languages.',
    usage: '[-- <rounds> | languages]',
    options: ['<rounds>   20 unless told', 'languages  the set-up pages alone'],
  },
  screenshots: {
    script: 'e2e/screenshots.ts',
    web: true,
    does: 'Makes a picture of every screen in every state, with assertions.',
    usage: '[-- <screen> …]',
  },
  demo: {
    script: 'scripts/demo.ts',
    does: 'Sends sample events of an imaginary shop to a running product.',
    usage: '[-- <options>]',
    options: [
      '--url <address>    the product; http://127.0.0.1 and the port of PORT unless told',
      '--email <address>  the account; TRIBUTARY_ADMIN_EMAIL unless told',
      '--password <text>  its password; TRIBUTARY_ADMIN_PASSWORD unless told',
      '--events <count>   how many; without end unless told',
      '--rate <count>     how many a second; 5 unless told',
    ],
  },
  backup: {
    script: 'scripts/backup.ts',
    does: 'Writes one archive of the whole data folder. The product must be stopped.',
    usage: '-- <file>',
  },
  restore: {
    script: 'scripts/restore.ts',
    does: 'Puts a backup in the place of the data folder. The product must be stopped.',
    usage: '-- <file> [--force]',
    options: ['--force  replaces a data folder that is there, and keeps it beside under another name'],
  },
  connector: {
    script: 'scripts/connector.ts',
    does: 'Makes the folder of a new destination, registers it, and names what is to be filled in.',
    usage: '-- <slug>',
  },
  'admin-password': {
    script: 'scripts/admin-password.ts',
    does: 'Sets a new password for an administrator: that of TRIBUTARY_ADMIN_PASSWORD, else one that is made and printed. The product may run or be stopped.',
    usage: '[-- --email <address>]',
    options: ['--email <address>  which administrator; the first one unless told'],
  },
  'realtime-keys': {
    script: 'scripts/realtime-keys.ts',
    does: 'Prints app id, key and secret for server libraries of the Pusher protocol.',
  },
  'rotate-key': {
    script: 'scripts/rotate-key.ts',
    does: 'Seals all credentials with a new secret key. The product must be stopped.',
    usage: '[-- --new-key-file <file>]',
    options: ['--new-key-file <file>  takes the key in this file, at least 32 characters; made unless told'],
  },
}

/**
 * The text of `npm run <name> -- --help`.
 *
 * @param {string} name
 * @param {Task} task
 */
export const helpOf = (name, { does, usage, options = [] }) => {
  const command = name === 'start' || name === 'test' ? `npm ${name}` : `npm run ${name}`
  const lines = [`Usage: ${command}${usage === undefined ? '' : ` ${usage}`}`, '', does]
  if (options.length > 0) lines.push('', ...options.map((line) => `  ${line}`))
  return `${lines.join('\n')}\n`
}
