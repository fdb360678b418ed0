import { defineAction } from '@tributary/connector-kit'
import { propertyFields } from './properties.ts'

export const upsertContact = defineAction({
  name: 'upsert_contact',
  title: 'Create or update contact',
  description: 'Creates a contact or updates it, by its email address, with the properties you map.',
  customTargets: true,
  eventTypes: [],
  fields: {
    email: {
      label: 'Email',
      help: 'Tells contacts apart.',
      type: 'string',
      required: true,
      recommended: true,
      kind: 'identity',
    },
    ...propertyFields({
      firstname: ['First name', 'The first name of the contact.'],
      lastname: ['Last name', 'The last name of the contact.'],
      phone: ['Phone', 'The phone number of the contact.'],
      mobilephone: ['Mobile phone', 'The mobile phone number of the contact.'],
      company: ['Company name', 'The name of the company of the contact.'],
      jobtitle: ['Job title', 'The job title of the contact.'],
      website: ['Website', 'The website of the contact or of its company.'],
      address: ['Street address', 'Street and number, with the apartment or unit.'],
      city: ['City', 'The city of the contact.'],
      state: ['State', 'The state or region of the contact.'],
      zip: ['Postal code', 'The postal code of the contact.'],
      country: ['Country', 'The country of the contact.'],
      lifecyclestage: [
        'Lifecycle stage',
        'The internal name of a stage, such as lead. HubSpot moves contacts forward only.',
      ],
    }),
  },
})
