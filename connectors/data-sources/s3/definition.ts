import { defineDataSource } from '@tributary/connector-kit'
import { formatSteps } from '../../wire/files/settings.ts'
import { openSession } from './session.ts'
import { check, settings } from './settings.ts'

const policy = `{
  "Version": "2012-10-17",
  "Statement": [
    {
      "Effect": "Allow",
      "Action": ["s3:ListBucket"],
      "Resource": "arn:aws:s3:::your-bucket",
      "Condition": { "StringLike": { "s3:prefix": "exports/*" } }
    },
    {
      "Effect": "Allow",
      "Action": ["s3:GetObject"],
      "Resource": "arn:aws:s3:::your-bucket/exports/*"
    }
  ]
}`

/** Reads files of a bucket on S3 or a compatible storage, always in their current version. */
export const s3 = defineDataSource({
  slug: 's3',
  title: 'Amazon S3',
  description:
    'Reads CSV, NDJSON, and Parquet files from a bucket on S3, MinIO, R2, Ceph, or other S3-compatible storage.',
  file: true,
  docs: {
    url: 'https://docs.aws.amazon.com/AmazonS3/latest/userguide/security-iam.html',
    steps: [
      {
        title: 'Create a user that can read',
        text: 'In IAM, create a user with this policy, using your bucket and the beginning of your keys, and create an access key for it. It can list and read, and change nothing.',
        code: policy,
        language: 'json',
      },
      {
        title: 'Allow network access',
        text: 'For storage other than AWS, note its endpoint. To reach storage inside your network, your Tributary operator must allow that network with `TRIBUTARY_EGRESS_ALLOW`.',
      },
      {
        title: 'Choose the objects',
        text: 'Enter one key, or a pattern. All objects that match are one table, with the columns of all of them; a column that an object does not have is null in its rows. Objects are read anew at each run: up to 1,000 of them, with as many bytes together as a file can have. A name that ends in `.gz` is an object compressed with gzip.',
        code: 'exports/customers.csv\nexports/customers-*.csv.gz\nexports/*.parquet',
        language: 'text',
      },
      ...formatSteps,
    ],
  },
  settings,
  check,
  open: (context) => {
    const { scratch } = context
    if (scratch === undefined) throw new Error('There is no place for the files')
    return Promise.resolve(openSession(context, scratch))
  },
})
