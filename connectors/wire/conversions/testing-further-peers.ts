import { events, fields, items, type PeerField, type PeerOffer } from './testing-peers.ts'

const device =
  'os_name app_package app_version app_build os_version device_model locale timezone_abbreviation carrier screen_width ' +
  'screen_height screen_density cpu_cores storage_size free_storage device_timezone'

const custom = (names: string): PeerField[] => names.split(' ').map((name) => [name, { custom: true }])

/** The fields and mappings of RudderStack (github.com/rudderlabs/rudder-transformer, src/v0/destinations). */
export const rudderstack: Readonly<Record<string, PeerOffer>> = {
  // ga4: config.js, and `destKey` of the files in data.
  'google-analytics': {
    fields: [
      ...fields(`
        affiliation content_type coupon creative_name creative_slot group_id item_id item_list_id item_list_name location_id
        method page_location page_referrer page_title payment_type promotion_id promotion_name search_term session_id
        shipping shipping_tier tax timestamp_micros=event_time transaction_id user_id value currency items
        client_id app_instance_id=ga_app_instance_id user_properties
        non_personalized_ads=ga_non_personalized_ads`),
      ...items(`
        item_id item_name affiliation coupon discount index item_brand item_category item_category2 item_category3
        item_category4 item_category5 item_list_id item_list_name item_variant location_id price quantity
        creative_name creative_slot promotion_id promotion_name`),
      ...custom('engagement_time_msec session_number campaign campaign_id source medium term content'),
    ],
    presets: events(`
      Products Searched = search
      Product List Viewed = view_item_list
      Promotion Viewed = view_promotion
      Promotion Clicked = select_promotion
      Product Clicked = select_item
      Product Viewed = view_item
      Product Added = add_to_cart
      Product Removed = remove_from_cart
      Cart Viewed = view_cart
      Checkout Started = begin_checkout
      Payment Info Entered = add_payment_info
      Checkout Step Completed = add_shipping_info
      Order Completed = purchase
      Order Refunded = refund
      Product Added to Wishlist = add_to_wishlist
      Product Shared = share
      Cart Shared = share
      (page) = page_view
      (group) = join_group`),
  },
  // facebook_conversions: config.js, and `destKey` of the files in data.
  'meta-conversions': {
    fields: [
      ...fields(`
        action_source advertiser_tracking_enabled anon_id application_tracking_enabled campaign_ids client_ip_address
        client_user_agent content_category content_ids content_name content_type contents country ct currency db em event_id
        event_name event_source_url event_time external_id ${device} fb_login_id fbc fbp fn ge install_referrer
        installer_package lead_id ln madid num_items opt_out ph search_string st subscription_id url_schemes value
        windows_attribution_id zp limitedDataUsage=limited_data_use`),
      ['testEventCode', { setting: 'test_event_code' }],
    ],
    presets: events(`
      Product List Viewed = ViewContent
      Product Viewed = ViewContent
      Product Added = AddToCart
      Order Completed = Purchase
      Products Searched = Search
      Checkout Started = InitiateCheckout
      Payment Info Entered = AddPaymentInfo
      Product Added to Wishlist = AddToWishlist
      (page) = PageView`),
  },
  // fb_custom_audience: schemaFields of config.ts.
  'meta-custom-audiences': {
    fields: fields(`
      EXTERN_ID=extern_id EMAIL=email PHONE=phone GEN=gen DOBY=doby DOBM=dobm DOBD=dobd LN=ln FN=fn FI=fi CT=ct ST=st ZIP=zip
      MADID=madid COUNTRY=country LOOKALIKE_VALUE=lookalike_value`),
    presets: [],
  },
  // tiktok_ads: config.js, and `destKey` of the files in data; tiktok_ads_offline_events.
  'tiktok-events': {
    fields: [
      ...fields(`
        ad app_id app_name app_version event=event_name event_id event_time timestamp=event_time lead_event_source lead_id
        limited_data_use referrer=page_referrer url=page_url content_type contents currency description order_id query
        search_string shop_id value test_event_code att_status city country email first_name gaid=advertising_id
        idfa=advertising_id idfv=device_id ip last_name locale phone state ttclid ttp user_agent zip_code external_id`),
      ...items('content_category content_id content_name content_type price quantity'),
      ['event_set_id', { setting: 'offline_event_set_id' }],
      ['event_channel', { none: 'a field of the older API for offline events' }],
      ['status', { none: 'a field of the older API for events of the web' }],
    ],
    presets: events(`
      Product Added to Wishlist = AddToWishlist
      Product Added = AddToCart
      Checkout Started = InitiateCheckout
      Payment Info Entered = AddPaymentInfo
      Checkout Step Completed = Purchase
      Order Completed = Purchase`),
  },
  // tiktok_audience: TRAITS_SET of config.ts, and recordTypes.ts.
  'tiktok-audiences': {
    fields: [
      ...fields(`
        EMAIL_SHA256=email PHONE_SHA256=phone IDFA_SHA256=advertising_id IDFA_MD5=advertising_id
        AAID_SHA256=advertising_id AAID_MD5=advertising_id`),
      ['advertiserId', { setting: 'advertiser_id' }],
      ['audienceId', { setting: 'audience_id' }],
    ],
    presets: [],
  },
  // google_adwords_offline_conversions and google_adwords_enhanced_conversions: `destKey` of the files in data.
  'google-ads': {
    fields: [
      ...fields(`
        conversionDateTime=event_time conversionEnvironment=event_source conversionValue=value currencyCode=currency gclid
        gbraid wbraid orderId=transaction_id merchantId=merchant_id feedCountryCode=merchant_feed_label
        feedLanguageCode=merchant_feed_language localTransactionCost=discount store_code=store_id
        adjustedValue=value restatementCurrency=currency userAgent=user_agent hashedEmail=email hashedPhoneNumber=phone
        hashedFirstName=first_name hashedLastName=last_name countryCode=country postalCode=postal_code
        ad_user_data ad_personalization customVariables=custom_variables
        externalAttributionCredit=external_attribution_credit externalAttributionModel=external_attribution_model
        userIdentifierSource=user_identifier_source callStartDateTime=call_time callerId=caller_id
        loyaltyFraction=loyalty_fraction transaction_upload_fraction custom_key adjustmentDateTime=adjustment_time
        city state hashedStreetAddress=street_address`),
      ...items('product_id quantity price'),
    ],
    presets: [],
  },
  // google_adwords_remarketing_lists: config.ts, and dataManager.
  'google-customer-match': {
    fields: [
      ...fields(`
        email phone firstName=first_name lastName=last_name countryCode=country postalCode=postal_code mobileId=mobile_id
        thirdPartyUserId=user_id audienceId=list_id adUserData=ad_user_data adPersonalization=ad_personalization`),
      ['typeOfList', { setting: 'list_type' }],
      ['validateOnly', { setting: 'validate_only' }],
    ],
    presets: [],
  },
}

/**
 * The inputs and mapping templates of PostHog (github.com/PostHog/posthog, nodejs/src/cdp/templates/_destinations). It
 * has no template for lists of people.
 */
export const posthog: Readonly<Record<string, PeerOffer>> = {
  // google_analytics_4/ga4.template.ts
  'google-analytics': {
    fields: [
      ...fields('clientId=client_id eventName=event_name userId=user_id page_location page_referrer page_title'),
      ['eventParameters', { custom: true }],
    ],
    presets: [['(page)', 'page_view']],
  },
  // meta_ads/meta.template.ts
  'meta-conversions': {
    fields: fields(`
      eventName=event_name customData=custom_data eventId=event_id eventSourceUrl=event_source_url eventTime=event_time
      actionSource=action_source em fn ln fbc fbp client_user_agent testEventCode=test_event_code currency value content_type
      content_ids contents content_name content_category search_string num_items order_id`),
    presets: events(`
      (page) = PageView
      Product Viewed = ViewContent
      Products Searched = Search
      Product Added = AddToCart
      Checkout Started = InitiateCheckout
      Order Completed = Purchase
      Lead Generated = Lead
      Signed Up = CompleteRegistration`),
  },
  // tiktok_ads/tiktok.template.ts
  'tiktok-events': {
    fields: fields(`
      eventName=event_name eventId=event_id eventTimestamp=event_time testEventCode=test_event_code content_ids contents
      content_type currency value num_items search_string description order_id shop_id referrer=page_referrer url=page_url
      email first_name last_name phone external_id city state country zip_code ttclid ip user_agent`),
    presets: events(`
      (page) = Pageview
      Payment Info Entered = AddPaymentInfo
      Product Added = AddToCart
      Product Added to Wishlist = AddToWishlist
      Product Clicked = ClickButton
      Order Placed = PlaceAnOrder
      Signed Up = CompleteRegistration
      Checkout Started = InitiateCheckout
      Order Completed = Purchase
      Products Searched = Search
      Product Viewed = ViewContent`),
  },
  // google_data_manager/google-data-manager.template.ts
  'google-ads': {
    fields: fields(`
      conversionActionId=conversion_action_id gclid gbraid wbraid eventTimestamp=event_time eventSource=event_source
      conversionValue=value currency transactionId=transaction_id email phone adUserDataConsent=ad_user_data
      adPersonalizationConsent=ad_personalization`),
    presets: [],
  },
}
