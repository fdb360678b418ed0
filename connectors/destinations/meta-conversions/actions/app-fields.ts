import { plainField } from '../../../wire/conversions/conversion-fields.ts'

/**
 * The fields of an event of an app: "App Data Parameters" of the Conversions API
 * (developers.facebook.com/documentation/ads-commerce/conversions-api/parameters/app-data).
 */
export const appFields = {
  advertiser_tracking_enabled: {
    label: 'Tracking allowed',
    help: 'Whether the person allowed tracking on the device. Required for app events.',
    type: 'boolean',
    kind: 'context',
  },
  application_tracking_enabled: {
    label: 'Ad tracking allowed in the app',
    help: 'Whether the person allowed it in the settings of the app.',
    type: 'boolean',
    kind: 'context',
  },
  os_name: { label: 'System', help: 'iOS or Android. Required for app events.', ...plainField },
  os_version: { label: 'System version', help: 'Such as 13.4.1. Required for app events.', ...plainField },
  app_package: { label: 'App package', help: 'Such as com.example.shop.', ...plainField },
  app_version: { label: 'App version', help: 'Such as 1.0.', ...plainField },
  app_build: { label: 'App build', help: 'The long version of the app.', ...plainField },
  device_model: { label: 'Device model', help: 'Such as iPhone5,1.', ...plainField },
  locale: { label: 'Locale', help: 'Of the device, such as en_US.', ...plainField },
  timezone_abbreviation: { label: 'Time zone abbreviation', help: 'Such as PDT.', ...plainField },
  carrier: { label: 'Carrier', help: 'The mobile network.', ...plainField },
  screen_width: { label: 'Screen width', help: 'In pixels.', ...plainField },
  screen_height: { label: 'Screen height', help: 'In pixels.', ...plainField },
  screen_density: { label: 'Screen density', help: 'Such as 2.', ...plainField },
  cpu_cores: { label: 'CPU cores', help: 'The number of cores.', ...plainField },
  storage_size: { label: 'Storage', help: 'In GB.', ...plainField },
  free_storage: { label: 'Free storage', help: 'In GB.', ...plainField },
  device_timezone: { label: 'Time zone', help: 'Of the device, such as America/New_York.', ...plainField },
  campaign_ids: { label: 'Campaign IDs', help: 'The encrypted text of the deep link of an ad of Meta.', ...plainField },
  install_referrer: { label: 'Install referrer', help: 'As the app store gives it to the app.', ...plainField },
  installer_package: {
    label: 'Installer package',
    help: 'Of the app store, such as com.android.vending.',
    ...plainField,
  },
  url_schemes: { label: 'URL schemes', help: 'A list of the URL schemes of the app.', type: 'array', kind: 'context' },
  vendor_id: { label: 'Vendor ID', help: 'IDFV of iOS.', ...plainField },
  windows_attribution_id: {
    label: 'Windows attribution ID',
    help: 'The attribution token of Windows 10.',
    ...plainField,
  },
} as const

/** The IDs of a person that an app or a message has. "Customer Information Parameters": they are not hashed. */
export const idFields = {
  madid: { label: 'Mobile advertiser ID', help: 'IDFA or Android advertising ID. For app events.', ...plainField },
  anon_id: { label: 'Install ID', help: 'The ID of this installation of the app. For app events.', ...plainField },
  subscription_id: { label: 'Subscription ID', help: 'Of the person in this transaction.', ...plainField },
  fb_login_id: { label: 'Facebook login ID', help: 'The number that Meta gives an app for the person.', ...plainField },
  ctwa_clid: { label: 'WhatsApp click ID', help: 'Of an ad that opens WhatsApp.', ...plainField },
  page_id: { label: 'Page ID', help: 'The page of the conversation.', ...plainField },
  page_scoped_user_id: { label: 'Page-scoped user ID', help: 'The person in Messenger.', ...plainField },
  ig_account_id: { label: 'Instagram account ID', help: 'The account of the conversation.', ...plainField },
  ig_sid: { label: 'Instagram-scoped user ID', help: 'The person in Instagram.', ...plainField },
  partner_id: { label: 'Partner ID', help: 'The ID that a partner has for the person.', ...plainField },
  partner_name: { label: 'Partner name', help: 'The partner that gives the partner ID.', ...plainField },
} as const
