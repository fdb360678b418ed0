import { readFile } from 'node:fs/promises'
import { z } from 'zod'

/** Name of the manifest in the archive, where it comes last; everything else lies below `data/`. */
export const manifestName = 'manifest.json'
export const dataPrefix = 'data/'

const schema = z.object({
  format: z.literal(1),
  product: z.literal('tributary'),
  /** Version of the product that wrote the backup. */
  version: z.string(),
  /** RFC 3339, UTC. */
  time: z.string(),
  /** Every file, by its path in the data folder: size in bytes and SHA-256 in hexadecimal. */
  files: z.array(z.object({ path: z.string(), size: z.number().int().nonnegative(), sha256: z.string().length(64) })),
  /** Links between parts of the data folder. The archive itself holds none. */
  links: z.array(z.object({ path: z.string(), target: z.string() })).default([]),
})

/** The description of a backup. */
export type Manifest = z.infer<typeof schema>

/** Thrown when a file is no backup, or one that was damaged or cut off. */
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

/** The product's version, from the package this code belongs to. */
export const productVersion = async (): Promise<string> => {
  const text = await readFile(new URL('../../package.json', import.meta.url), 'utf8')
  return z.object({ version: z.string() }).parse(JSON.parse(text)).version
}
