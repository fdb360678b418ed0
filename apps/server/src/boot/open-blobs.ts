import { loadBucketLanguage } from '@tributary/connectors'
import type { Logger } from '@tributary/kernel'
import { type Blobs, createS3Blobs, openFolderBlobs, type S3Blobs } from '@tributary/storage'
import { type Config, ConfigurationError } from '../config/config.ts'
import { folders } from './engines.ts'

/** The configured bucket for blobs, not checked yet; undefined if blobs are in the data folder. */
export const openBucket = async (config: Pick<Config, 'blobs'>, logger: Logger): Promise<S3Blobs | undefined> => {
  if (config.blobs.kind !== 's3') return undefined
  const { access, prefix } = config.blobs
  return createS3Blobs({ access, prefix, language: await loadBucketLanguage(), logger })
}

/** The store of pictures, and a check whether it responds; the check is undefined for a store in the data folder. */
export type OpenBlobs = { blobs: Blobs; blobsAnswer: (() => Promise<boolean>) | undefined }

/**
 * Opens the blobs. Rejects with ConfigurationError if objects of their bucket cannot be written, read, listed and
 * deleted.
 */
export const openBlobs = async (config: Pick<Config, 'blobs' | 'dataDir'>, logger: Logger): Promise<OpenBlobs> => {
  const bucket = await openBucket(config, logger)
  if (bucket === undefined)
    return { blobs: await openFolderBlobs(folders(config.dataDir).blobs), blobsAnswer: undefined }
  await bucket.check().catch((error: unknown) => {
    throw new ConfigurationError([`BLOBS_S3_BUCKET: ${error instanceof Error ? error.message : String(error)}`])
  })
  return { blobs: bucket, blobsAnswer: () => bucket.answers() }
}
