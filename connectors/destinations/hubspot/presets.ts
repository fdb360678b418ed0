import type { MappingPreset } from '@tributary/connector-kit'
import { anyOf, personPlaces } from '../../wire/conversions/person-places.ts'

const field = (name: string) => ({ type: 'FIELD', name }) as const
const timestamp = { type: 'VARIABLE', name: 'timestamp' } as const

const isText = (variable: string): string => `${variable} == '"'`

/**
 * The name of the company, which is a text or in an object ("Identify" of the Segment spec). Only a text in JSON begins
 * with a quotation mark, so an object without a name writes nothing.
 */
const companyName = {
  type: 'TEMPLATE',
  value: [
    '{% assign named = traits.company.name | json | slice: 0 %}{% assign given = traits.company | json | slice: 0 %}',
    `{% if ${isText('named')} %}{{ traits.company.name }}{% elsif ${isText('given')} %}{{ traits.company }}{% endif %}`,
  ].join(''),
} as const

const added = <Source extends object>(source: Source) => ({ ...source, since: 2 })

/**
 * Traits of a person as libraries send them (Segment spec, "Identify"), under HubSpot's names. Version 0.2.0 does not
 * write them, so an update overwrites no contact. Unlike a name, an empty one clears nothing.
 */
const contactFields = {
  mobilephone: added(anyOf('traits.mobilePhone', 'traits.mobile_phone', 'traits.mobile')),
  company: added(companyName),
  jobtitle: added(anyOf('traits.jobTitle', 'traits.job_title', 'traits.title')),
  website: added(anyOf('traits.website')),
  address: added(anyOf('traits.address.street', 'traits.street')),
  city: added(anyOf('traits.address.city', 'traits.city')),
  state: added(anyOf('traits.address.state', 'traits.state')),
  zip: added(anyOf('traits.address.postalCode', 'traits.address.postal_code', 'traits.address.zip', 'traits.zip')),
  country: added(anyOf('traits.address.country', 'traits.country')),
}

/**
 * Contacts are written for identify calls. The other presets are off, because they need properties or custom events that
 * a user creates in HubSpot first.
 */
export const presets: readonly MappingPreset[] = [
  {
    since: 2,
    eventType: 'identify',
    // Separate from the next one, in which a null in `firstName` clears the property.
    conditions: [
      { field: 'traits.firstName', operator: 'not_exists', value: '' },
      { field: 'traits.first_name', operator: 'exists', value: '' },
    ],
    action: 'upsert_contact',
    fields: {
      email: field('traits.email'),
      firstname: field('traits.first_name'),
      lastname: anyOf('traits.last_name', 'traits.lastName'),
      phone: field('traits.phone'),
      ...contactFields,
    },
  },
  {
    eventType: 'identify',
    action: 'upsert_contact',
    fields: {
      email: field('traits.email'),
      firstname: field('traits.firstName'),
      lastname: field('traits.lastName'),
      phone: field('traits.phone'),
      ...contactFields,
    },
  },
  {
    since: 2,
    enabled: false,
    eventType: 'group',
    action: 'upsert_company',
    fields: {
      company_id: field('groupId'),
      contact_email: anyOf('context.traits.email', 'traits.contact_email'),
      name: field('traits.name'),
      domain: field('traits.domain'),
      website: field('traits.website'),
      phone: field('traits.phone'),
      description: field('traits.description'),
      address: anyOf('traits.address.street', 'traits.street'),
      city: anyOf('traits.address.city', 'traits.city'),
      state: anyOf('traits.address.state', 'traits.state'),
      zip: anyOf('traits.address.postalCode', 'traits.address.postal_code', 'traits.address.zip', 'traits.zip'),
      country: anyOf('traits.address.country', 'traits.country'),
      numberofemployees: anyOf('traits.employees', 'traits.employee_count'),
    },
  },
  {
    since: 2,
    enabled: false,
    eventName: 'Order Completed',
    eventType: 'track',
    action: 'upsert_deal',
    fields: {
      deal_id: field('properties.order_id'),
      contact_email: personPlaces.email,
      company_id: field('context.groupId'),
      dealname: { type: 'TEMPLATE', value: 'Order {{ properties.order_id }}' },
      amount: anyOf('properties.revenue', 'properties.total', 'properties.value'),
      closedate: timestamp,
      dealstage: { type: 'CONSTANT', value: 'closedwon' },
      pipeline: { type: 'CONSTANT', value: 'default' },
    },
  },
  {
    since: 2,
    enabled: false,
    eventType: 'track',
    action: 'send_event',
    fields: {
      event_name: field('event'),
      email: personPlaces.email,
      utk: anyOf('properties.hubspotutk', 'context.hubspotutk'),
      message_id: { type: 'VARIABLE', name: 'message_id' },
      time: timestamp,
      properties: field('properties'),
    },
  },
]
