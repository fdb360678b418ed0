// npm run copy-pictures: copies pictures from the data folder to the configured bucket.
import { copyBlobs, openFolderBlobs } from '@tributary/storage'
import { folders } from '../apps/server/src/boot/engines.ts'
import { openBucket } from '../apps/server/src/boot/open-blobs.ts'
import { createLogger } from '../apps/server/src/operations/logger.ts'
import { configOf, given, runCommand } from './command-line.ts'

await runCommand('copy-pictures', async () => {
  given({}, 0)
  const config = configOf()
  const bucket = await openBucket(config, createLogger('error'))
  if (bucket === undefined) throw new Error('Set BLOBS_S3_BUCKET to the bucket to copy to.')
  await bucket.check()
  const copied = await copyBlobs(await openFolderBlobs(folders(config.dataDir).blobs), bucket)
  console.log(`${copied} ${copied === 1 ? 'picture was' : 'pictures were'} copied.`)
})
