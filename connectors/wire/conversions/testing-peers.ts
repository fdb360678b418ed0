/*
 * What Segment offers for the same platforms (github.com/segmentio/action-destinations, packages/destination-actions/src/
 * destinations): the fields of the payloads (generated-types.ts of each action) and the default subscriptions (index.ts).
 */

/**
 * A field of a peer, and what has it here: a target, a setting, custom fields, a part of a list that is created, or
 * nothing with the reason.
 */
export type PeerField = readonly [
  peer: string,
  ours:
    | { target: string }
    | { setting: string }
    | { item: string }
    | { custom: true }
    | { list: true }
    | { none: string },
]

/** Reads pairs of a peer's name and a target, such as `email=em`; one name stands for both. */
export const fields = (table: string): PeerField[] =>
  table
    .trim()
    .split(/\s+/)
    .map((pair): PeerField => {
      const [peer = '', target = peer] = pair.split('=')
      return [peer, { target }]
    })

/** Reads names of members of a product. */
export const items = (names: string): PeerField[] =>
  names
    .trim()
    .split(/\s+/)
    .map((name): PeerField => [`items.${name}`, { item: name }])

/** Reads pairs of an event's name and the name at the platform, a line each, as `event = name`. */
export const events = (table: string): [string, string][] =>
  table
    .trim()
    .split('\n')
    .map((line) => {
      const [event = '', name = ''] = line.split('=').map((part) => part.trim())
      return [event, name]
    })

/**
 * The fields and the default mappings of a peer, with the name of the event here. A page call has the event name
 * '(page)'. `notHere` has those without a preset, with the reason.
 */
export type PeerOffer = {
  fields: readonly PeerField[]
  presets: readonly (readonly [string, string])[]
  notHere?: Readonly<Record<string, string>>
}

export const segment = {
  'google-analytics': {
    fields: [
      ...fields(`
        app_instance_id=ga_app_instance_id client_id user_id timestamp_micros=event_time currency value coupon payment_type items
        affiliation transaction_id shipping tax user_properties method page_location page_referrer page_title
        search_term item_list_id item_list_name creative_name creative_slot location_id promotion_id promotion_name
        name=event_name ad_user_data_consent=ad_user_data ad_personalization_consent=ad_personalization`),
      ['data_stream_type', { setting: 'stream' }],
      ['engagement_time_msec', { custom: true }],
      ['params', { custom: true }],
      ['lowercase', { setting: 'lower_case_names' }],
      ...items(`
        item_id item_name affiliation coupon discount index item_brand item_category item_category2 item_category3
        item_category4 item_category5 item_list_id item_list_name item_variant location_id price quantity
        creative_name creative_slot promotion_name promotion_id`),
      ['items.currency', { item: 'currency' }],
    ],
    presets: events(`
      Payment Info Entered = add_payment_info
      Product Added = add_to_cart
      Product Added to Wishlist = add_to_wishlist
      Checkout Started = begin_checkout
      Signed In = login
      (page) = page_view
      Order Completed = purchase
      Order Refunded = refund
      Product Removed = remove_from_cart
      Products Searched = search
      Product Clicked = select_item
      Promotion Clicked = select_promotion
      Signed Up = sign_up
      Cart Viewed = view_cart
      Product Viewed = view_item
      Product List Viewed = view_item_list
      Promotion Viewed = view_promotion
      Lead Created = generate_lead`),
  },
  'meta-conversions': {
    fields: [
      ...fields(`
        action_source event_name event_time externalId=external_id email=em phone=ph gender=ge dateOfBirth=db lastName=ln
        firstName=fn city=ct state=st zip=zp country client_ip_address client_user_agent fbc fbp
        subscriptionID=subscription_id leadID=lead_id fbLoginID=fb_login_id anonId=anon_id madId=madid partner_id
        partner_name ctwa_clid use_app_data=action_source advertiser_tracking_enabled application_tracking_enabled
        version=os_name packageName=app_package shortVersion=app_version longVersion=app_build osVersion=os_version
        deviceName=device_model locale timezone=timezone_abbreviation carrier width=screen_width height=screen_height
        density=screen_density cpuCores=cpu_cores storageSize=storage_size freeStorage=free_storage
        deviceTimezone=device_timezone content_ids content_name content_type content_category contents delivery_category
        currency event_id event_source_url value net_revenue num_items search_string custom_data
        data_processing_options=limited_data_use data_processing_options_country=data_processing_country
        data_processing_options_state=data_processing_state test_event_code`),
      ...items('id quantity item_price'),
    ],
    presets: events(`
      Product Added = AddToCart
      Checkout Started = InitiateCheckout
      (page) = PageView
      Order Completed = Purchase
      Products Searched = Search
      Product Viewed = ViewContent`),
  },
  'meta-custom-audiences': {
    fields: [
      ...fields(`
        externalId=extern_id email phone year=doby month=dobm day=dobd last=ln first=fn firstInitial=fi gender=gen city=ct
        state=st zip country mobileAdId=madid appId=app_id pageId=page_id igAccountIds=ig_account_id`),
      ['external_audience_id', { setting: 'audience_id' }],
      ['audienceName', { list: true }],
    ],
    presets: [],
  },
  'tiktok-audiences': {
    fields: [
      ...fields('audience_id external_audience_id=audience_id email phone advertising_id'),
      ['selected_advertiser_id', { setting: 'advertiser_id' }],
      ['send_email', { none: 'a field without a mapping is not sent' }],
      ['send_phone', { none: 'a field without a mapping is not sent' }],
      ['send_advertising_id', { none: 'a field without a mapping is not sent' }],
      ['custom_audience_name', { list: true }],
    ],
    presets: events(`
      Audience Entered =
      Audience Exited =`),
  },
  'tiktok-events': {
    fields: [
      ...fields(`
        event_source event_spec_type=travel event=event_name event_id timestamp=event_time phone_number=phone email
        first_name last_name city country zip_code state order_id shop_id external_id ttclid ttp locale url=page_url
        referrer=page_referrer ip user_agent contents content_ids num_items content_type currency value description query
        limited_data_use test_event_code delivery_category predicted_ltv search_string lead_id lead_event_source
        travel_fields=travel vehicle_fields=vehicle app_id app_name app_version ad device_type device_id device_version
        ad_tracking_enabled=tracking_allowed advertising_id att_status`),
      ...items('price quantity content_category content_id content_name brand'),
    ],
    presets: events(`
      Order Completed = Purchase
      Callback Started = Contact
      Subscription Created = Subscribe
      Form Submitted = Lead
      (page) = Pageview
      Product Viewed = ViewContent
      Product Clicked = ClickButton
      Products Searched = Search
      Product Added to Wishlist = AddToWishlist
      Product Added = AddToCart
      Checkout Started = InitiateCheckout
      Payment Info Entered = AddPaymentInfo
      Order Placed = PlaceAnOrder
      Download Link Clicked = Download
      Signed Up = CompleteRegistration
      Application Installed = InstallApp
      Application Opened = LaunchAPP
      Signed In = Login`),
  },
  'google-ads': {
    fields: [
      ...fields(`
        conversion_action=conversion_action_id gclid gbraid wbraid user_ip_address=ip_address
        session_attributes_encoded=session_attributes landing_page_user_agent=landing_user_agent
        conversion_timestamp=event_time email_address=email phone_country_code=country phone_number=phone
        order_id=transaction_id value currency conversion_environment=event_source merchant_id
        merchant_country_code=merchant_feed_label merchant_language_code=merchant_feed_language local_cost=discount items
        custom_variables ad_user_data_consent_state=ad_user_data ad_personalization_consent_state=ad_personalization
        restatement_value=value restatement_currency_code=currency first_name last_name country postal_code user_agent
        adjustment_type adjustment_timestamp=adjustment_time session_attributes_key_value_pairs=session_attribute_pairs
        caller_id call_timestamp=call_time city state street_address`),
      ...items('product_id quantity price'),
    ],
    presets: [],
  },
  'google-customer-match': {
    fields: [
      ...fields(`
        first_name last_name email phone phone_country_code=country country_code=country postal_code crm_id=user_id
        mobile_advertising_id=mobile_id ad_user_data_consent_state=ad_user_data
        ad_personalization_consent_state=ad_personalization external_audience_id=list_id list_id`),
      ['external_id_type', { setting: 'list_type' }],
      ['list_name', { list: true }],
      ['app_id', { list: true }],
    ],
    presets: [],
  },
} as const satisfies Record<string, PeerOffer>
