import { readFile } from 'node:fs/promises'
import { z } from 'zod'

/** Name of the manifest, which is the last entry of the archive. */
export const manifestName = 'manifest.json'
/** Prefix of all other entries of the archive. */
export const dataPrefix = 'data/'

const schema = z.object({
  format: z.literal(1),
  product: z.literal('tributary'),
  /** Version of the product that wrote the backup. */
  version: z.string(),
  /** RFC 3339, UTC. */
  time: z.string(),
  /** Every file by its path in the data folder, with its size in bytes and its SHA-256 in hexadecimal. */
  files: z.array(z.object({ path: z.string(), size: z.number().int().nonnegative(), sha256: z.string().length(64) })),
  /** Links between parts of the data folder. The archive itself contains none. */
  links: z.array(z.object({ path: z.string(), target: z.string() })).default([]),
})

/** The description of a backup. */
export type Manifest = z.infer<typeof schema>

/** Thrown if a file is not a backup, or the backup is damaged or incomplete. */
export class InvalidBackup extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'InvalidBackup'
  }
}

/** Reads a manifest. @throws InvalidBackup */
export const parseManifest = (text: string): Manifest => {
  try {
    return schema.parse(JSON.parse(text))
  } catch (cause) {
    throw new InvalidBackup(
      'The backup has no valid manifest. It is damaged, or from another version of Tributary',
      cause,
    )
  }
}

/** The product's version, from the package of this code. */
export const productVersion = async (): Promise<string> => {
  const text = await readFile(new URL('../../package.json', import.meta.url), 'utf8')
  return z.object({ version: z.string() }).parse(JSON.parse(text)).version
}
