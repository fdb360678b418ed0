import { defineAction } from '@tributary/connector-kit'
import { propertyFields } from './properties.ts'

export const upsertCompany = defineAction({
  name: 'upsert_company',
  title: 'Create or update company',
  description: 'Creates a company or updates it, by an ID of your own, and associates a contact with it.',
  customTargets: true,
  eventTypes: ['group'],
  fields: {
    company_id: {
      label: 'Company ID',
      help: 'Your ID of the company. It is kept in the property that the setting Property of company IDs names.',
      type: 'string',
      required: true,
      recommended: true,
      kind: 'identity',
    },
    contact_email: {
      label: 'Email of a contact',
      help: 'The contact with this email address is associated with the company.',
      type: 'string',
      recommended: true,
      kind: 'identity',
    },
    ...propertyFields({
      name: ['Company name', 'The name of the company.'],
      domain: ['Domain', 'The domain of the company, such as example.com.'],
      website: ['Website', 'The website of the company.'],
      phone: ['Phone', 'The phone number of the company.'],
      description: ['Description', 'A short text about the company.'],
      address: ['Street address', 'Street and number of the company.'],
      city: ['City', 'The city of the company.'],
      state: ['State', 'The state or region of the company.'],
      zip: ['Postal code', 'The postal code of the company.'],
      country: ['Country', 'The country of the company.'],
      industry: ['Industry', 'The internal name of an industry in HubSpot, such as COMPUTER_SOFTWARE.'],
      lifecyclestage: ['Lifecycle stage', 'The internal name of a stage, such as customer.'],
    }),
    numberofemployees: {
      label: 'Number of employees',
      help: 'The number of people who work for the company.',
      type: 'number',
      kind: 'trait',
    },
    annualrevenue: {
      label: 'Annual revenue',
      help: 'The annual revenue of the company.',
      type: 'number',
      kind: 'trait',
    },
  },
})
