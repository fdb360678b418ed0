import type { MappingPreset } from '@tributary/connector-kit'
import { anyOf, personPlaces } from '../../wire/conversions/person-places.ts'

const field = (name: string) => ({ type: 'FIELD', name }) as const
const timestamp = { type: 'VARIABLE', name: 'timestamp' } as const

/** Traits of a person as libraries send them (Segment spec, "Identify"), under HubSpot's names. */
const contactFields = {
  mobilephone: anyOf('traits.mobilePhone', 'traits.mobile_phone', 'traits.mobile'),
  company: anyOf('traits.company.name', 'traits.company'),
  jobtitle: anyOf('traits.jobTitle', 'traits.job_title', 'traits.title'),
  website: field('traits.website'),
  address: anyOf('traits.address.street', 'traits.street'),
  city: anyOf('traits.address.city', 'traits.city'),
  state: anyOf('traits.address.state', 'traits.state'),
  zip: anyOf('traits.address.postalCode', 'traits.address.postal_code', 'traits.address.zip', 'traits.zip'),
  country: anyOf('traits.address.country', 'traits.country'),
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
