import { createFileDelivery } from '../../wire/storage/deliver.ts'
import { changeBlob } from './blob.ts'
import type { BlobSettings } from './settings.ts'

export const { deliver, deliverRows, testConnection } = createFileDelivery<BlobSettings>({
  file: 'blob',
  place: ({ container }) => `in the container ${container}`,
  put: async (context, key, body, type) => (await changeBlob(context, key, { body, type })).answer,
  remove: (context, key) => changeBlob(context, key),
  status: 201,
})
