import type { VendorRequest } from '@tributary/connector-kit/testing-destination'
import { rowsFrom, type WireCases, type WireRow } from '@tributary/connector-kit/testing-wire'
import { hubspot } from './definition.ts'
import { createHubspot, token } from './testing-hubspot.ts'

const guides = 'developers.hubspot.com/docs/api-reference'
const contacts = `${guides}/crm-contacts-v3/guide`
const companies = `${guides}/crm-companies-v3/guide`
const deals = `${guides}/crm-deals-v3/guide`
const events = `${guides}/events-send-event-completions-v3/guide`
const associations = `${guides}/crm-associations-v4/guide`

const minuteAgo = new Date(Date.now() - 60_000).toISOString()

type Input = { properties?: Record<string, string> }

/** Returns the inputs of the writes, by the object: records, associations, and occurrences. */
const record = (asked: readonly VendorRequest[]) => {
  const inputsOf = (path: RegExp): unknown[] =>
    asked.filter((request) => path.test(request.path)).flatMap(({ body }) => (body as { inputs: unknown[] }).inputs)
  const [written] = inputsOf(/^\/crm\/v3\/objects\/\w+\/batch\/(?:create|update|upsert)$/) as Input[]
  return {
    ...written?.properties,
    ids: inputsOf(/\/batch\/read$/).map((input) => (input as { id: string }).id),
    events: inputsOf(/^\/events\/v3\/send\/batch$/),
  }
}

const rowsOf = (
  source: string,
  values: Readonly<Record<string, unknown>>,
  texts: Readonly<Record<string, string>> = {},
): WireRow[] =>
  rowsFrom(
    source,
    Object.entries(values).map(([name, value]) => [name, value, name, texts[name] ?? value] as const),
  )

const contact = {
  email: 'bh@hubspot.com',
  firstname: 'Brian',
  lastname: 'Halligan',
  phone: '555-122-2323',
  mobilephone: '555-122-2324',
  company: 'HubSpot',
  jobtitle: 'CEO',
  website: 'hubspot.com',
  address: '2 Canal Park',
  city: 'Cambridge',
  state: 'MA',
  zip: '02141',
  country: 'United States',
}
const company = {
  name: 'HubSpot',
  domain: 'hubspot.com',
  website: 'www.hubspot.com',
  phone: '555-555-555',
  description: 'A CRM platform',
  address: '2 Canal Park',
  city: 'Cambridge',
  state: 'Massachusetts',
  zip: '02141',
  country: 'United States',
  industry: 'COMPUTER_SOFTWARE',
  lifecyclestage: '51439524',
}
const deal = {
  dealname: 'New deal',
  dealstage: 'contractsent',
  pipeline: 'default',
  closedate: '2019-12-07T16:50:06.678Z',
  deal_currency_code: 'USD',
  description: 'A text',
}
const street = { street: '2 Canal Park', city: 'Cambridge', state: 'MA', postalCode: '02141', country: 'United States' }

const traits = {
  email: 'bh@hubspot.com',
  lastName: 'Halligan',
  phone: '555-122-2323',
  mobilePhone: '555-122-2324',
  company: { name: 'HubSpot' },
  jobTitle: 'CEO',
  website: 'hubspot.com',
  address: street,
}

export const wireCases: WireCases = {
  definition: hubspot,
  origins: ['https://api.hubapi.com'],
  settings: { access_token: token },
  vendor: () => createHubspot().answer,
  record,
  actions: {
    upsert_contact: {
      type: 'identify',
      base: { email: 'ada@example.com', lastname: 'Lovelace' },
      rows: [
        ...rowsOf(contacts, { ...contact, lifecyclestage: 'lead' }),
        ...rowsFrom('a property of the account', [['favorite_food', 'Pizza', 'favorite_food', 'Pizza']]),
      ],
    },
    upsert_company: {
      type: 'group',
      base: { company_id: 'c-1', name: 'Acme' },
      rows: [
        ...rowsOf(
          companies,
          { ...company, numberofemployees: 1250, annualrevenue: 1e6 },
          { numberofemployees: '1250', annualrevenue: '1000000' },
        ),
        ...rowsFrom(companies, [
          ['company_id', 'acme', 'tributary_company_id', 'acme'],
          ['settings.company_key', 'id', 'id', 'c-1'],
        ]),
        ...rowsFrom(associations, [['contact_email', 'bh@hubspot.com', 'ids', ['bh@hubspot.com']]]),
      ],
    },
    upsert_deal: {
      base: { deal_id: 'o-1', dealname: 'Order' },
      rows: [
        ...rowsOf(deals, { ...deal, amount: '1500.00' }, { amount: '1500' }),
        ...rowsFrom(deals, [
          ['deal_id', 'o-2', 'tributary_deal_id', 'o-2'],
          ['settings.deal_key', 'id', 'id', 'o-1'],
        ]),
        ...rowsFrom(associations, [
          ['contact_email', 'bh@hubspot.com', 'ids', ['bh@hubspot.com']],
          ['company_id', 'acme', 'ids', ['acme']],
        ]),
      ],
    },
    send_event: {
      base: { event_name: 'Read', email: 'ada@example.com', message_id: 'm-1', time: minuteAgo },
      rows: rowsFrom(events, [
        ['event_name', 'pe123456_manual_event', 'events.0.eventName', 'pe123456_manual_event'],
        ['event_name', 'Signed Up', 'events.0.eventName', 'pe4711_signed_up'],
        ['email', 'Person@Example.com', 'events.0.email', 'person@example.com', { beside: { utk: 'u' } }],
        ['utk', 'af48e7a1', 'events.0.utk', 'af48e7a1'],
        ['object_id', '608051', 'events.0.objectId', '608051'],
        ['message_id', '40f71c4b-7d51-4f14-a9c5-3b3c5a2d9d0e', 'events.0.uuid', '40f71c4b-7d51-4f14-a9c5-3b3c5a2d9d0e'],
        ['time', minuteAgo, 'events.0.occurredAt', minuteAgo],
        ['properties', { hs_city: 'Cambridge' }, 'events.0.properties.hs_city', 'Cambridge'],
      ]),
    },
  },
  // The calls: "Identify", "Group", and "Order Completed" of the specification.
  common: { event: { timestamp: minuteAgo } },
  presets: {
    '(identify)': {
      event: { traits: { ...traits, first_name: 'Brian', last_name: 'Halligan' } },
      sent: contact,
    },
    '(identify) 2': { event: { traits: { ...traits, firstName: 'Brian' } }, sent: contact },
    '(group)': {
      event: {
        groupId: 'acme',
        traits: { ...company, address: { ...street, state: 'Massachusetts' }, employees: 1250 },
        context: { traits: { email: 'bh@hubspot.com' } },
      },
      sent: { ...company, company_id: 'acme', contact_email: ['bh@hubspot.com'], numberofemployees: '1250' },
    },
    'Order Completed': {
      event: {
        properties: { order_id: 'o-2', revenue: 1500 },
        context: { groupId: 'acme', traits: { email: 'bh@hubspot.com' } },
      },
      places: { contact_email: 'ids.0', company_id: 'ids.1' },
      sent: {
        deal_id: 'o-2',
        contact_email: 'bh@hubspot.com',
        company_id: 'acme',
        dealname: 'Order o-2',
        amount: '1500',
        closedate: minuteAgo,
        dealstage: 'closedwon',
        pipeline: 'default',
      },
    },
    '(track)': {
      event: {
        messageId: '40f71c4b-7d51-4f14-a9c5-3b3c5a2d9d0e',
        event: 'Signed Up',
        properties: { hs_city: 'Cambridge', hubspotutk: 'af48e7a1' },
        context: { traits: { email: 'bh@hubspot.com' } },
      },
      places: { properties: 'events.0.properties.hs_city', message_id: 'events.0.uuid' },
      sent: {
        event_name: 'pe4711_signed_up',
        email: 'bh@hubspot.com',
        utk: 'af48e7a1',
        message_id: '40f71c4b-7d51-4f14-a9c5-3b3c5a2d9d0e',
        time: minuteAgo,
        properties: 'Cambridge',
      },
    },
  },
}
