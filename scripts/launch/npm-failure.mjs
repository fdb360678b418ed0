import { describeEnd } from './processes.mjs'

const network =
  /^(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|EPROTO|ERR_SOCKET_TIMEOUT|E(IDLE|CONNECTION|RESPONSE|TRANSFER)TIMEOUT|ENETWORK|FETCH_ERROR|EPIPE)$/
const certificate = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET/

/** @type {readonly [codes: RegExp, cause: string, remedy: string][]} */
const causes = [
  [certificate, 'REGISTRY is not trusted', 'point NODE_EXTRA_CA_CERTS at the file of your authority'],
  [network, 'REGISTRY cannot be reached', 'check the network, and the registry and proxy in `npm config list`'],
  [/^(ENOSPC|EDQUOT)$/, 'the disk is full', 'free 1.5 GB for dependencies, and some more for the cache of npm'],
  [/^EROFS$/, 'PATH is on a disk that is mounted read-only', 'use a checkout that can be written to'],
  [/^(EACCES|EPERM)$/, 'this user is not allowed to write to PATH', 'change its owner (chown -R)'],
  [/^(E401|E403|ENEEDAUTH)$/, 'REGISTRY refuses this user', 'check the registry and its credentials in .npmrc'],
  [/^(E404|ETARGET|ENOVERSIONS)$/, 'REGISTRY lacks a package', 'use https://registry.npmjs.org'],
  [/^EINTEGRITY$/, 'a package is not what package-lock.json says', 'run `npm cache clean --force`'],
  [/^E5\d\d$|^E429$/, 'REGISTRY does not answer as it should', 'wait a little'],
]

/**
 * Returns a sentence that says why an install failed and what to do. If the cause is unknown, the end of npm's output
 * precedes it.
 *
 * @param {import('./processes.mjs').End} end @param {string} output of npm @param {string} root the checkout
 */
export const describeNpmFailure = (end, output, root) => {
  if (end.error?.code === 'ENOENT')
    return 'Cannot install dependencies, because npm was not found. Install Node with npm from https://nodejs.org, or add the folder of npm to PATH. Then run the command again.'
  if (end.error !== undefined || end.signal !== null)
    return `Dependencies are not installed: ${describeEnd('npm', end)} Run the command again. The install starts over.`
  const code = /npm (?:error|ERR!) code (\S+)/.exec(output)?.[1] ?? ''
  const [, cause, remedy] = causes.find(([codes]) => codes.test(code)) ?? []
  if (cause === undefined)
    return `${output.trim().split('\n').slice(-20).join('\n')}\nDependencies cannot be installed: npm ended with code ${end.code}; its words are above. Correct the cause and run the command again.`
  const registry = `the package registry ${/https?:\/\/[^\s/'"]+/.exec(output)?.[0] ?? 'that npm is set to'}`
  const path = /npm (?:error|ERR!) path (.+)/.exec(output)?.[1]?.trim() ?? root
  const words = cause.replace('REGISTRY', () => registry).replace('PATH', () => path)
  return `Cannot install dependencies, because ${words} (${code}): ${remedy}, and run the command again.`
}
