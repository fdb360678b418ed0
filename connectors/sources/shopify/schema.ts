import { type ObjectOutline, outlineSchema } from '@tributary/connector-kit'

// Fields of the webhook reference, https://shopify.dev/docs/api/webhooks. Fields that can be null are not required.

const order: ObjectOutline = {
  string:
    'admin_graphql_api_id browser_ip buyer_accepts_marketing_at business_entity_id cancel_reason cancelled_at cart_token checkout_token closed_at confirmation_number contact_email created_at currency current_subtotal_price current_total_discounts current_total_price current_total_tax customer_locale email financial_status fulfillment_status landing_site landing_site_ref merchant_business_entity_id name note order_status_url phone po_number presentment_currency processed_at reference referring_site source_identifier source_name source_url subtotal_price tags token total_cash_rounding_payment_adjustment total_discounts total_line_items_price total_outstanding total_price total_tax total_tip_received updated_at gateway processing_method checkout_method',
  number:
    'id app_id checkout_id device_id location_id merchant_of_record_app_id number order_number total_weight user_id',
  boolean: 'buyer_accepts_marketing confirmed duties_included estimated_taxes tax_exempt taxes_included test',
  object:
    'billing_address client_details company current_subtotal_price_set current_shipping_price_set current_total_additional_fees_set current_total_discounts_set current_total_duties_set current_total_price_set current_total_tax_set customer original_total_additional_fees_set original_total_duties_set payment_schedule payment_terms shipping_address subtotal_price_set total_cash_rounding_payment_adjustment_set total_cash_rounding_refund_adjustment_set total_discounts_set total_line_items_price_set total_price_set total_shipping_price_set total_tax_set',
  array:
    'discount_applications discount_codes fulfillments line_item_groups line_items note_attributes payment_gateway_names refunds returns shipping_lines tax_lines',
  required: 'id created_at currency total_price line_items',
}

const customer: ObjectOutline = {
  string:
    'accepts_marketing_updated_at admin_graphql_api_id created_at currency email first_name last_name last_order_name marketing_opt_in_level multipass_identifier note phone state tags total_spent updated_at',
  number: 'id last_order_id orders_count',
  boolean: 'accepts_marketing tax_exempt verified_email',
  object: 'default_address email_marketing_consent sms_marketing_consent',
  array: 'addresses tax_exemptions',
  required: 'id',
}

const checkout: ObjectOutline = {
  string:
    'abandoned_checkout_url cart_token closed_at completed_at created_at currency customer_locale email gateway landing_site name note phone presentment_currency reservation_token reservation_time reservation_time_left referring_site source source_identifier source_name source_url sms_marketing_phone subtotal_price token total_discounts total_duties total_line_items_price total_price total_tax updated_at',
  number: 'id device_id location_id total_weight user_id',
  boolean: 'buyer_accepts_marketing buyer_accepts_sms_marketing taxes_included',
  object: 'billing_address customer shipping_address credit_card',
  array: 'discount_codes line_items note_attributes shipping_lines tax_lines',
  required: 'token created_at line_items',
}

const cart: ObjectOutline = {
  string: 'id token note created_at updated_at',
  array: 'line_items',
  required: 'id token line_items',
}

const product: ObjectOutline = {
  string:
    'admin_graphql_api_id body_html created_at handle product_type published_at published_scope status tags template_suffix title updated_at vendor',
  number: 'id',
  boolean: 'has_variants_that_requires_components',
  object: 'category image',
  array: 'images media options variants variant_gids variant_ids',
  required: 'id',
}

const refund: ObjectOutline = {
  string: 'admin_graphql_api_id created_at note processed_at',
  number: 'id order_id user_id',
  boolean: 'restock',
  object: 'return total_duties_set',
  array: 'additional_fees duties order_adjustments refund_line_items refund_shipping_lines transactions',
  required: 'id order_id created_at',
}

const fulfillment: ObjectOutline = {
  string:
    'admin_graphql_api_id created_at email name service shipment_status status tracking_company tracking_number tracking_url updated_at',
  number: 'id location_id order_id',
  object: 'destination origin_address receipt',
  array: 'line_items tracking_numbers tracking_urls',
  required: 'id order_id status',
}

const topics = (resource: string, endings: string): string[] =>
  endings.split(' ').map((ending) => `${resource}/${ending}`)

/** The schema with the topics of sales, customers and products. */
export const shopifySchema = outlineSchema(
  [
    [topics('orders', 'create updated paid cancelled fulfilled partially_fulfilled'), order],
    [topics('customers', 'create update enable disable delete'), customer],
    [topics('checkouts', 'create update'), checkout],
    [topics('carts', 'create update'), cart],
    [topics('products', 'create update'), product],
    [topics('refunds', 'create'), refund],
    [topics('fulfillments', 'create update'), fulfillment],
  ],
  {
    string: 'email first_name last_name phone state tags currency shopify_customer_id',
    boolean: 'verified_email',
    object: 'address',
  },
)
