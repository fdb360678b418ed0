import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Returns one hash of the names and contents of the given files and folders. Missing files are ignored.
 *
 * @param {string} root
 * @param {readonly string[]} inputs paths below the root
 * @param {(path: string) => boolean} [counts] false for files that a build does not read
 */
export const hashOfSources = (root, inputs, counts = () => true) => {
  const hash = createHash('sha256')
  /** @param {string} path */
  const add = (path) => {
    if (!existsSync(path)) return
    if (statSync(path).isDirectory()) for (const name of readdirSync(path).sort()) add(join(path, name))
    else if (counts(path)) hash.update(path.slice(root.length)).update(readFileSync(path))
  }
  for (const input of inputs) add(join(root, input))
  return hash.digest('hex')
}
