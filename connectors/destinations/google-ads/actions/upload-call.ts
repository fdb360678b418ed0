import { defineAction } from '@tributary/connector-kit'
import { consentFields } from '../../../wire/google/data-manager-fields.ts'
import { adsValueFields, adsVariables, needsAdsApi } from './ads-api-fields.ts'
import { personFields } from './fields.ts'

/** "CallConversion" of the Google Ads API. */
export const uploadCall = defineAction({
  name: 'upload_call',
  title: 'Upload call',
  description: 'Uploads a conversion by the phone number of the caller, with the Google Ads API.',
  ...needsAdsApi,
  fields: {
    caller_id: {
      label: 'Caller',
      help: 'The phone number from which the person called, with its country code. Not hashed.',
      type: 'string',
      required: true,
      recommended: true,
      kind: 'identity',
    },
    call_time: {
      label: 'Time of the call',
      help: 'When the call began.',
      type: 'datetime',
      required: true,
      recommended: true,
      kind: 'event',
    },
    event_time: {
      label: 'Time',
      help: 'When the conversion happened, after the call and at most 90 days ago.',
      type: 'datetime',
      required: true,
      recommended: true,
      kind: 'event',
    },
    ...adsValueFields,
    ...adsVariables,
    conversion_action_id: personFields.conversion_action_id,
    ad_user_data: consentFields.ad_user_data,
  },
})
