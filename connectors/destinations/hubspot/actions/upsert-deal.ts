import { defineAction } from '@tributary/connector-kit'
import { propertyFields } from './properties.ts'

export const upsertDeal = defineAction({
  name: 'upsert_deal',
  title: 'Create or update deal',
  description: 'Creates a deal or updates it, by an ID of your own, and associates contact and company with it.',
  customTargets: true,
  eventTypes: ['track'],
  fields: {
    deal_id: {
      label: 'Deal ID',
      help: 'Your ID of the deal, such as the order ID. It is kept in the property that the setting Property of deal IDs names.',
      type: 'string',
      required: true,
      recommended: true,
      kind: 'identity',
    },
    contact_email: {
      label: 'Email of a contact',
      help: 'The contact with this email address is associated with the deal.',
      type: 'string',
      recommended: true,
      kind: 'identity',
    },
    company_id: {
      label: 'Company ID',
      help: 'The company with this ID of yours is associated with the deal.',
      type: 'string',
      kind: 'identity',
    },
    ...propertyFields({
      dealname: ['Deal name', 'HubSpot needs a name for each new deal.'],
      dealstage: ['Deal stage', 'The internal name of a stage, such as closedwon.'],
      pipeline: ['Pipeline', 'The internal name of the pipeline, such as default.'],
      closedate: ['Close date', 'The date on which the deal was or will be closed.'],
      deal_currency_code: ['Currency', 'A currency of your HubSpot account, such as EUR.'],
      description: ['Description', 'A text about the deal.'],
    }),
    amount: {
      label: 'Amount',
      help: 'The value of the deal.',
      type: 'number',
      recommended: true,
      kind: 'property',
    },
  },
})
