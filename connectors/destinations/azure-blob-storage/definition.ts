import { defineDestination } from '@tributary/connector-kit'
import { storageDefinition } from '../../wire/storage/definition.ts'
import { deliver, deliverRows, testConnection } from './deliver.ts'
import { check, settings } from './settings.ts'

const commands = `az storage container create --account-name youraccount --name events
az storage account keys list --account-name youraccount
az storage container generate-sas --account-name youraccount --name events \\
  --permissions cwd --expiry 2027-12-31 --https-only`

const { steps, parts } = storageDefinition('blob')

/** Writes events as blobs of JSON lines to a container of Azure Blob Storage. */
export const azureBlobStorage = defineDestination({
  slug: 'azure-blob-storage',
  title: 'Azure Blob Storage',
  description: 'Writes events as compressed JSON lines to a container of Azure Blob Storage.',
  docs: {
    url: 'https://learn.microsoft.com/rest/api/storageservices/put-blob',
    steps: [
      {
        title: 'Create a container',
        text: 'Choose a storage account in the region for your data, and keep anonymous access off. A storage account with a hierarchical namespace works, too.',
      },
      {
        title: 'Choose how Tributary signs in',
        text: 'Enter an account key, which allows everything in the account, or a SAS token. A SAS token of the container needs the permissions Create and Write, since a retried batch replaces its blob, and Delete for the test of the connection. Note when it expires: events are held from then on.',
        code: commands,
        language: 'shell',
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
