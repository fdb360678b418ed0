import { createFileDelivery } from '../../wire/storage/deliver.ts'
import type { S3Settings } from './settings.ts'
import { changeObject } from './storage.ts'

export const { deliver, deliverRows, testConnection } = createFileDelivery<S3Settings>({
  file: 'object',
  place: ({ bucket }) => `in the bucket ${bucket}`,
  put: async (context, key, body, type) => (await changeObject(context, 'PUT', key, body, type)).answer,
  remove: (context, key) => changeObject(context, 'DELETE', key),
  status: 200,
})
