import { describeEnd } from './processes.mjs'

/** @typedef {import('./processes.mjs').End} End */

const network =
  /^(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|EPROTO|ERR_SOCKET_TIMEOUT|E(IDLE|CONNECTION|RESPONSE|TRANSFER)TIMEOUT|ENETWORK|FETCH_ERROR|EPIPE)$/
const certificate = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET/

/** @param {string} output */
const registryIn = (output) => /https?:\/\/[^\s/'"]+/.exec(output)?.[0] ?? 'that npm is set to'

/** @param {string} output */
const pathIn = (output) => /npm (?:error|ERR!) path (.+)/.exec(output)?.[1]?.trim()

/**
 * @param {string} code
 * @param {string} output
 * @param {string} root
 */
const causeOf = (code, output, root) => {
  if (certificate.test(code))
    return `the certificate of the package registry ${registryIn(output)} is not trusted (${code}): point NODE_EXTRA_CA_CERTS at the file of your authority`
  if (network.test(code))
    return `the package registry ${registryIn(output)} cannot be reached (${code}): check the network, and the registry and proxy that \`npm config list\` shows`
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return `the disk is full (${code}): dependencies take 1.5 GB in ${root}, and npm's cache takes some more; free that much`
  if (code === 'EROFS')
    return `${pathIn(output) ?? root} is on a disk that is mounted read-only: use a checkout that can be written to`
  if (code === 'EACCES' || code === 'EPERM')
    return `this user is not allowed to write to ${pathIn(output) ?? root} (${code}): give it to the user that runs Tributary (chown -R), or run as its owner`
  if (code === 'E401' || code === 'E403' || code === 'ENEEDAUTH')
    return `the package registry ${registryIn(output)} refuses this user (${code}): check the registry and its credentials in .npmrc`
  if (code === 'E404' || code === 'ETARGET' || code === 'ENOVERSIONS')
    return `the package registry ${registryIn(output)} lacks a package (${code}): use a registry that has it, such as https://registry.npmjs.org`
  if (code === 'EINTEGRITY')
    return 'a package is not what package-lock.json says (EINTEGRITY): run `npm cache clean --force`, and use another mirror if it stays'
  if (code === 'EMFILE' || code === 'ENFILE')
    return `too many files are open (${code}): raise the limit with \`ulimit -n 65536\``
  if (code === 'ENOMEM') return 'memory has run out (ENOMEM): give the machine more, or close other programs'
  if (/^E5\d\d$|^E429$/.test(code))
    return `the package registry ${registryIn(output)} does not answer as it should (${code}): wait a little`
  return undefined
}

/**
 * Why an install failed and what to do, in a sentence; behind it the end of npm's own words where they are not
 * understood.
 *
 * @param {End} end
 * @param {string} output what npm wrote
 * @param {string} root the checkout
 */
export const describeNpmFailure = (end, output, root) => {
  if (end.error?.code === 'ENOENT')
    return 'Cannot install dependencies, because npm was not found. Install Node with npm from https://nodejs.org, or add the folder of npm to PATH. Then run the command again.'
  if (end.error !== undefined || end.signal !== null)
    return `Dependencies are not installed: ${describeEnd('npm', end)} Run the command again. The install starts over.`
  const code = /npm (?:error|ERR!) code (\S+)/.exec(output)?.[1]
  const cause = code === undefined ? undefined : causeOf(code, output, root)
  if (cause !== undefined) return `Cannot install dependencies, because ${cause}, and run the command again.`
  return `${output.trim().split('\n').slice(-20).join('\n')}\nDependencies cannot be installed: npm ended with code ${end.code}; its words are above. Mend what they name and run the command again.`
}
