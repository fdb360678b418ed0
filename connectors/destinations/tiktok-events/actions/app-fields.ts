import { plainField } from '../../../wire/conversions/conversion-fields.ts'

/**
 * The fields of an event of an app. Segment has the same ones (action-destinations, `tiktok-app-events/reportAppEvent/
 * fields/common_fields.ts`); TikTok's page was not seen.
 */
export const appFields = {
  app_id: {
    label: 'App ID',
    help: 'Of the app in its store, or the package name. Required for the event source app.',
    ...plainField,
  },
  app_name: { label: 'App name', help: 'The name of the app.', ...plainField },
  app_version: { label: 'App version', help: 'Such as 1.0.', ...plainField },
  device_type: { label: 'System', help: 'iOS or Android. Decides which IDs of the device are sent.', ...plainField },
  device_version: { label: 'System version', help: 'Such as 17.4.', ...plainField },
  advertising_id: {
    label: 'Mobile advertiser ID',
    help: 'IDFA of iOS, or the advertising ID of Android. Hashed before it is sent.',
    ...plainField,
  },
  device_id: { label: 'Vendor ID', help: 'IDFV of iOS. Not hashed.', ...plainField },
  tracking_allowed: {
    label: 'Tracking allowed',
    help: 'Whether the person allowed tracking on the device.',
    type: 'boolean',
    kind: 'context',
  },
  att_status: {
    label: 'Tracking status',
    help: 'AUTHORIZED, DENIED, NOT_DETERMINED, RESTRICTED, or NOT_APPLICABLE. Without it, made from the system and whether tracking is allowed.',
    ...plainField,
  },
  ad: {
    label: 'Ad',
    help: 'An object about the ad that led to the event: callback, campaign_id, ad_id, creative_id, is_retargeting, attributed, attribution_type, attribution_provider.',
    type: 'object',
    kind: 'context',
  },
} as const
