import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'

/** The folder of the built web application. */
export const webFolder = fileURLToPath(new URL('../../../web/dist', import.meta.url))

/** The product's version, from its package.json. */
export const { version } = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')))

/** Returns the tag for websites, which is built with the web application; undefined if that was not built. */
export const builtTag = (): string | undefined => {
  const file = join(webFolder, '.tag.js')
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
}

/** The build ID of the web application, as its pages contain it; undefined if it was not built. */
export const pageBuild = (): string | undefined => {
  const file = join(webFolder, '.sources')
  return existsSync(file) ? readFileSync(file, 'utf8').slice(0, 12) : undefined
}
