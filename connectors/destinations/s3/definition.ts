import { defineDestination } from '@tributary/connector-kit'
import { storageDefinition } from '../../wire/storage/definition.ts'
import { deliver, deliverRows, testConnection } from './deliver.ts'
import { check, settings } from './settings.ts'

const policy = `{
  "Version": "2012-10-17",
  "Statement": [
    {
      "Effect": "Allow",
      "Action": ["s3:PutObject"],
      "Resource": "arn:aws:s3:::your-bucket/events/*"
    },
    {
      "Effect": "Allow",
      "Action": ["s3:DeleteObject"],
      "Resource": "arn:aws:s3:::your-bucket/events/.tributary-test"
    }
  ]
}`

const { steps, parts } = storageDefinition('object')

/** Writes events as objects of JSON lines to S3 or a compatible storage. */
export const s3 = defineDestination({
  slug: 's3',
  title: 'Amazon S3',
  description:
    'Writes events as compressed JSON lines to a bucket on S3, MinIO, R2, Ceph, or other S3-compatible storage.',
  docs: {
    url: 'https://docs.aws.amazon.com/AmazonS3/latest/userguide/security-iam.html',
    steps: [
      {
        title: 'Create a bucket',
        text: 'Choose the region for your data and block public access. For storage other than AWS, note its endpoint. To reach storage inside your network, your Tributary operator must allow that network with `TRIBUTARY_EGRESS_ALLOW`.',
      },
      {
        title: 'Create a user that can write to it',
        text: 'In IAM, create a user with this policy, using your bucket and prefix, and create an access key for it. The second statement is only for testing the connection.',
        code: policy,
        language: 'json',
      },
      ...steps,
    ],
  },
  ...parts,
  settings,
  check,
  testConnection,
  deliver,
  deliverRows,
})
