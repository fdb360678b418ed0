import { defineAction } from '@tributary/connector-kit'
import { consentFields } from '../../../wire/google/data-manager-fields.ts'
import { adsAddressFields, adsContactFields, adsValueFields, needsAdsApi } from './ads-api-fields.ts'
import { deviceFields } from './detail-fields.ts'
import { personFields } from './fields.ts'

/** "ConversionAdjustment" of the Google Ads API. */
export const uploadAdjustment = defineAction({
  name: 'upload_adjustment',
  title: 'Retract or enhance conversion',
  description: 'Takes a conversion back, restates its value, or adds a person to it, with the Google Ads API.',
  ...needsAdsApi,
  fields: {
    adjustment_type: {
      label: 'Adjustment',
      help: 'What changes of the conversion.',
      type: 'string',
      required: true,
      recommended: true,
      kind: 'event',
      // "ConversionAdjustmentType" of the Google Ads API.
      choices: [
        { value: 'retraction', label: 'Retract' },
        { value: 'restatement', label: 'Restate the value' },
        { value: 'enhancement', label: 'Enhance' },
      ],
      isVital: true,
    },
    transaction_id: {
      label: 'Transaction ID',
      help: 'That of the conversion. A conversion without one is found by its click ID and time.',
      type: 'string',
      recommended: true,
      kind: 'event',
    },
    adjustment_time: {
      label: 'Time of the adjustment',
      help: 'After the conversion. Without it, the time of the event, or for an enhancement the time of sending.',
      type: 'datetime',
      recommended: true,
      kind: 'event',
    },
    event_time: {
      label: 'Time of the conversion',
      help: 'At most 54 days ago. Only needed without a transaction ID.',
      type: 'datetime',
      kind: 'event',
    },
    gclid: {
      ...personFields.gclid,
      help: 'Of the conversion. Only needed without a transaction ID.',
      recommended: false,
    },
    ...adsValueFields,
    ...adsContactFields,
    ...adsAddressFields,
    street_address: {
      label: 'Street address',
      help: 'Normalized and hashed before it is sent.',
      type: 'string',
      kind: 'identity',
      pii: 'text',
    },
    user_agent: deviceFields.user_agent,
    conversion_action_id: personFields.conversion_action_id,
    ad_user_data: consentFields.ad_user_data,
  },
})
