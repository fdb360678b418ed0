import { defineAction } from '@tributary/connector-kit'
import { deviceFields } from './detail-fields.ts'
import { personFields } from './fields.ts'

export const adjustConversion = defineAction({
  name: 'adjust_conversion',
  title: 'Adjust conversion',
  description: 'Restates the value of a conversion after a refund or a correction, or adds email and phone to it.',
  fields: {
    transaction_id: {
      label: 'Transaction ID',
      help: 'That of the conversion. If Google knows none with it, it counts a new one.',
      type: 'string',
      required: true,
      recommended: true,
      kind: 'event',
    },
    event_time: {
      label: 'Time',
      help: 'When the conversion happened, at most 54 days ago.',
      type: 'datetime',
      required: true,
      recommended: true,
      kind: 'event',
    },
    value: {
      label: 'New value',
      help: 'What is left of it, not what was refunded. 0 for a full refund.',
      type: 'any',
      recommended: true,
      kind: 'property',
    },
    currency: {
      label: 'Currency',
      help: 'A code such as USD. Without it, the default of the settings.',
      type: 'string',
      recommended: true,
      kind: 'property',
      default: { setting: 'default_currency', beside: ['value'] },
    },
    user_agent: deviceFields.user_agent,
    ...personFields,
  },
})
