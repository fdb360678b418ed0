import { defineDestination, type RowObjectDefinition } from '@tributary/connector-kit'
import { upsertContact } from './actions/upsert-contact.ts'
import { deliver, deliverRows, testConnection } from './deliver.ts'
import { describeRows } from './describe-rows.ts'
import { recordsObject } from './object-type.ts'
import { settings } from './settings.ts'

const syncModes = ['FULL_SYNC', 'UPSERT_ONLY', 'UPDATE_ONLY', 'INSERT_ONLY'] as const

/** Returns the definition of an object that every account has. */
const standardObject = (name: string, title: string, description: string): RowObjectDefinition => ({
  name,
  title,
  description,
  syncModes,
  named: false,
  address: ({ identifier }) => recordsObject({ type: name, idProperty: identifier }),
})

const field = (name: string) => ({ type: 'FIELD', name }) as const

/**
 * Limits: HubSpot, "Usage guidelines": 100 requests in 10 seconds for a private app of the smallest plan, batches of 100. An insert, an
 * update and a delete take two requests.
 */
export const hubspot = defineDestination({
  slug: 'hubspot',
  title: 'HubSpot',
  description: 'Creates, updates, and archives contacts, companies, deals, and custom objects in HubSpot.',
  docs: {
    url: 'https://developers.hubspot.com/docs/api-reference/crm-contacts-v3/guide',
    steps: [
      {
        title: 'Create a private app',
        text: 'In HubSpot, open **Settings, Integrations, Private Apps** and create one. Give it the read and write scopes of the objects you sync, and copy its access token. Tributary stores it encrypted.',
        code: 'crm.objects.contacts.read crm.objects.contacts.write\ncrm.objects.companies.read crm.objects.companies.write\ncrm.objects.deals.read crm.objects.deals.write\ncrm.objects.custom.read crm.objects.custom.write',
        language: 'text',
      },
      {
        title: 'Choose an identifier',
        text: 'Contacts are known by `email`. Companies, deals, and custom objects need a property with unique values: create one in HubSpot, select **Require unique values for this property**, and map a column to its internal name as the identifier. `domain` of a company is not unique.',
      },
      {
        title: 'Map properties',
        text: 'In a sync, choose contacts, companies, deals, or a custom object, which you name by its object type ID. Map columns to the internal names of properties, such as `firstname`. They are suggested, and the required ones are named if the token has the scope to read schemas, such as `crm.schemas.custom.read`. A null clears a property. A value that HubSpot does not accept, such as an unknown option, rejects its row with the reason.',
      },
      {
        title: 'What removing does',
        text: 'Rows that leave the model are archived in the mode Full. HubSpot keeps archived records for 90 days, in which they can be restored.',
      },
      {
        title: 'Events',
        text: 'Identify calls with an email address create or update contacts. On the **Mappings** tab you choose which traits become which properties.',
      },
    ],
  },
  settings,
  kinds: ['Event Streams', 'Reverse ETL'],
  auth: 'key',
  objects: [
    {
      name: 'contacts',
      title: 'Contacts',
      description: 'One contact per email address, with the properties you map.',
      syncModes: ['UPSERT_ONLY'],
      identifiers: [{ target: 'email' }],
      actions: ['upsert_contact'],
    },
  ],
  actions: [upsertContact],
  presets: [
    {
      eventType: 'identify',
      action: 'upsert_contact',
      fields: {
        email: field('traits.email'),
        firstname: field('traits.firstName'),
        lastname: field('traits.lastName'),
        phone: field('traits.phone'),
      },
    },
  ],
  // A response repeats the properties of each record and adds more. It must fit into the bytes that are read.
  batching: () => ({ maxEvents: 100, maxBytes: 64 * 1024, maxWaitMs: 2000 }),
  rate: () => ({ requests: 50, perMs: 10_000 }),
  concurrency: 4,
  testConnection,
  deliver,
  deliverRows,
  describeRows,
  rowObjects: [
    standardObject('contacts', 'Contacts', 'People, by their email address or another property with unique values.'),
    standardObject('companies', 'Companies', 'Companies, by a property with unique values.'),
    standardObject('deals', 'Deals', 'Deals, by a property with unique values.'),
    {
      name: 'custom_object',
      title: 'Custom object',
      description: 'Its object type ID, such as 2-3465404, or its full name, such as p123_cars.',
      syncModes,
      address: ({ name, identifier }) => recordsObject({ type: name, idProperty: identifier }),
    },
  ],
})
