import { defineDestination, type RowObjectDefinition } from '@tributary/connector-kit'
import { sendEvent } from './actions/send-event.ts'
import { upsertCompany } from './actions/upsert-company.ts'
import { upsertContact } from './actions/upsert-contact.ts'
import { upsertDeal } from './actions/upsert-deal.ts'
import { deliver, deliverRows, testConnection } from './deliver.ts'
import { describeRows } from './describe-rows.ts'
import { recordsObject } from './object-type.ts'
import { presets } from './presets.ts'
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

/**
 * Limits: HubSpot, "Usage guidelines": 100 requests in 10 seconds for a private app of the smallest plan, batches of 100.
 * An insert, an update, and a delete take two requests, an upsert of contacts by email up to three, and deals up to five.
 * A batch with several kinds, or with refused records, takes more. HubSpot then answers 429, and the rest is retried.
 */
export const hubspot = defineDestination({
  slug: 'hubspot',
  title: 'HubSpot',
  description: 'Writes contacts, companies, deals, custom objects, and custom events to HubSpot.',
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
        title: 'Contacts',
        text: 'Identify calls with an email address create or update contacts, with name, phone, company, job title, website, and address. On the **Mappings** tab you choose which traits become which properties. Contacts are read by email first and then updated by their HubSpot IDs, so properties that you do not map stay as they are.',
      },
      {
        title: 'Dates',
        text: 'For date properties, times become the day as it is written: `1990-05-17T10:30:00Z` is sent as `1990-05-17`. Properties with date and time get the whole time. Tributary reads the kinds of properties from HubSpot and keeps them for ten minutes. Without the scope to read them, values are sent as they are.',
      },
      {
        title: 'Companies and deals',
        text: 'Mappings for group calls and for **Order Completed** are there, but off. Before you turn them on, create a property with unique values for your IDs of companies and deals in HubSpot, and enter its internal name in the settings. The contact with the mapped email address is associated. If there is none, the delivery says so. Map an **Industry** or **Lifecycle stage** by the internal name of an option only.',
      },
      {
        title: 'Custom events',
        text: 'A mapping for track calls is there, but off. Custom events need an Enterprise plan and the scope below. Create each event with its properties in HubSpot, then map its internal name. **Signed Up** becomes `pe{account ID}_signed_up`. Property names get lower case and underscores. Repeated attempts keep the UUID of an event; HubSpot does not document whether it drops repeated UUIDs.',
        code: 'analytics.behavioral_events.send',
        language: 'text',
      },
    ],
  },
  settings,
  category: 'CRM and sales',
  popular: true,
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
    {
      name: 'companies',
      title: 'Companies',
      description: 'One company per ID of your own, with its contact.',
      syncModes: ['UPSERT_ONLY'],
      identifiers: [{ target: 'company_id' }],
      actions: ['upsert_company'],
    },
    {
      name: 'deals',
      title: 'Deals',
      description: 'One deal per ID of your own, such as an order, with its contact and company.',
      syncModes: ['UPSERT_ONLY'],
      identifiers: [{ target: 'deal_id' }],
      actions: ['upsert_deal'],
    },
    {
      name: 'events',
      title: 'Custom events',
      description: 'One occurrence of a custom event per event.',
      syncModes: ['INSERT_ONLY'],
      identifiers: [{ event: 'messageId' }],
      actions: ['send_event'],
    },
  ],
  actions: [upsertContact, upsertCompany, upsertDeal, sendEvent],
  presets,
  // A response repeats the properties of each record and adds more. It must fit into the bytes that are read.
  batching: () => ({ maxEvents: 100, maxBytes: 64 * 1024, maxWaitMs: 2000 }),
  rate: () => ({ requests: 15, perMs: 10_000 }),
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
