import { type DeliverContext, defineDestination } from '@tributary/connector-kit'
import { s3 } from '../s3/definition.ts'
import { deliver, deliverRows, testConnection } from '../s3/deliver.ts'
import type { S3Settings } from '../s3/settings.ts'
import { asS3, type CloudStorageSettings, check, settings } from './settings.ts'

const commands = `gcloud storage buckets add-iam-policy-binding gs://your-bucket \\
  --member=serviceAccount:tributary@your-project.iam.gserviceaccount.com --role=roles/storage.objectUser
gcloud storage hmac create tributary@your-project.iam.gserviceaccount.com`

/** Returns a context with which the code of S3 works. */
const withS3 = (context: DeliverContext<CloudStorageSettings>): DeliverContext<S3Settings> => ({
  ...context,
  settings: asS3(context.settings),
})

/** Writes events as objects of JSON lines to Google Cloud Storage, by its API that is compatible with S3. */
export const cloudStorage = defineDestination({
  slug: 'cloud-storage',
  title: 'Google Cloud Storage',
  description: 'Writes events as compressed JSON lines to a bucket of Google Cloud Storage.',
  docs: {
    url: 'https://cloud.google.com/storage/docs/aws-simple-migration',
    steps: [
      {
        title: 'Create a bucket',
        text: 'Choose the location for your data and keep public access off.',
      },
      {
        title: 'Create a service account with an HMAC key',
        text: 'Give the account the role Storage Object User on the bucket: objects are replaced by a retried batch. Then create an HMAC key for it, and copy the access ID and the secret.',
        code: commands,
        language: 'shell',
      },
      ...s3.docs.steps.slice(2),
    ],
  },
  category: 'Databases and storage',
  kinds: s3.kinds,
  auth: 'key',
  settings,
  check,
  objects: s3.objects,
  actions: s3.actions,
  presets: s3.presets,
  batching: s3.batching,
  concurrency: 1,
  testConnection: (context) => testConnection(withS3(context)),
  deliver: (batch, context) => deliver(batch, withS3(context)),
  deliverRows: (batch, context) => deliverRows(batch, withS3(context)),
  ...(s3.rowObjects === undefined ? {} : { rowObjects: s3.rowObjects }),
})
