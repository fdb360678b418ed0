import { type ObjectOutline, outlineSchema } from '@tributary/connector-kit'

// Fields of the API reference, https://docs.stripe.com/api. Fields that can be null are not required.

const customer: ObjectOutline = {
  string:
    'id object currency default_currency default_source description email invoice_prefix name phone tax_exempt business_name individual_name customer_account test_clock',
  number: 'balance created next_invoice_sequence',
  boolean: 'delinquent livemode',
  object:
    'address cash_balance discount invoice_settings invoice_credit_balance metadata shipping sources subscriptions tax tax_ids',
  array: 'preferred_locales',
  required: 'id object created livemode',
}

const charge: ObjectOutline = {
  string:
    'id object application application_fee balance_transaction calculated_statement_descriptor currency customer description dispute failure_balance_transaction failure_code failure_message invoice on_behalf_of order payment_intent payment_method receipt_email receipt_number receipt_url review source_transfer statement_descriptor statement_descriptor_suffix status transfer transfer_group',
  number: 'amount amount_captured amount_refunded application_fee_amount created',
  boolean: 'captured disputed livemode paid refunded',
  object:
    'billing_details destination fraud_details metadata outcome payment_method_details presentment_details radar_options refunds shipping source transfer_data',
  required: 'id object amount currency status created livemode',
}

const paymentIntent: ObjectOutline = {
  string:
    'id object application cancellation_reason capture_method client_secret confirmation_method currency customer customer_account description invoice latest_charge on_behalf_of payment_method receipt_email review setup_future_usage source statement_descriptor statement_descriptor_suffix status transfer_group',
  number: 'amount amount_capturable amount_received application_fee_amount canceled_at created',
  boolean: 'livemode',
  object:
    'amount_details automatic_payment_methods charges hooks last_payment_error managed_payments metadata next_action payment_details payment_method_configuration_details payment_method_options presentment_details processing shipping transfer_data',
  array: 'allowed_payment_method_types excluded_payment_method_types payment_method_types',
  required: 'id object amount currency status created livemode',
}

const checkout: ObjectOutline = {
  string:
    'id object billing_address_collection cancel_url client_reference_id client_secret currency customer customer_account customer_creation customer_email invoice locale mode origin_context payment_intent payment_link payment_method_collection payment_status recovered_from return_url redirect_on_completion setup_intent status submit_type subscription success_url ui_mode url integration_identifier',
  number: 'amount_subtotal amount_total created expires_at',
  boolean: 'allow_promotion_codes livemode',
  object:
    'adaptive_pricing after_expiration automatic_tax branding_settings collected_information consent consent_collection currency_conversion custom_text customer_details discount_settings invoice_creation line_items managed_payments metadata name_collection payment_method_configuration_details payment_method_options permissions phone_number_collection presentment_details saved_payment_method_options shipping_address_collection shipping_cost shipping_details tax_id_collection total_details wallet_options',
  array: 'custom_fields discounts excluded_payment_method_types optional_items payment_method_types shipping_options',
  required: 'id object mode payment_status created livemode',
}

const invoice: ObjectOutline = {
  string:
    'id object account_country account_name application billing_reason charge collection_method confirmation_secret currency customer customer_account customer_email customer_name customer_phone customer_tax_exempt default_payment_method default_source description footer hosted_invoice_url invoice_pdf latest_revision number on_behalf_of payment_intent quote receipt_number statement_descriptor status subscription test_clock',
  number:
    'amount_due amount_overpaid amount_paid amount_remaining amount_shipping application_fee_amount attempt_count automatically_finalizes_at created due_date effective_at ending_balance next_payment_attempt period_end period_start post_payment_credit_notes_amount pre_payment_credit_notes_amount starting_balance subtotal subtotal_excluding_tax tax total total_excluding_tax webhooks_delivered_at',
  boolean: 'attempted auto_advance livemode paid paid_out_of_band',
  object:
    'automatic_tax customer_address customer_shipping discount from_invoice issuer last_finalization_error lines metadata parent payment_settings payments rendering shipping_cost shipping_details status_transitions subscription_details threshold_reason transfer_data',
  array:
    'account_tax_ids custom_fields customer_tax_ids default_tax_rates discounts total_discount_amounts total_pretax_credit_amounts total_tax_amounts total_taxes',
  required: 'id object currency total created livemode',
}

const subscription: ObjectOutline = {
  string:
    'id object application collection_method currency customer customer_account default_payment_method default_source description latest_invoice on_behalf_of pending_setup_intent schedule status test_clock',
  number:
    'application_fee_percent billing_cycle_anchor cancel_at canceled_at created current_period_end current_period_start days_until_due ended_at next_pending_invoice_item_invoice quantity start_date trial_end trial_start',
  boolean: 'cancel_at_period_end livemode',
  object:
    'automatic_tax billing_cycle_anchor_config billing_mode billing_thresholds cancellation_details discount invoice_settings items managed_payments metadata pause_collection payment_settings pending_invoice_item_interval pending_update plan presentment_details transfer_data trial_settings',
  array: 'default_tax_rates discounts billing_schedules',
  required: 'id object customer status created livemode',
}

const refund: ObjectOutline = {
  string:
    'id object balance_transaction charge currency customer customer_account description failure_balance_transaction failure_reason payment_intent payment_method pending_reason reason receipt_number source_transfer_reversal status transfer_reversal',
  number: 'amount created',
  object: 'destination_details metadata next_action presentment_details',
  required: 'id object amount currency created',
}

const dispute: ObjectOutline = {
  string: 'id object balance_transaction charge currency network_reason_code payment_intent reason status',
  number: 'amount created',
  boolean: 'is_charge_refundable livemode',
  object: 'evidence evidence_details metadata payment_method_details',
  array: 'balance_transactions enhanced_eligibility_types',
  required: 'id object amount charge currency reason status created livemode',
}

const payout: ObjectOutline = {
  string:
    'id object application_fee balance_transaction currency description destination failure_balance_transaction failure_code failure_message method original_payout payout_method reconciliation_status reversed_by source_type statement_descriptor status type',
  number: 'amount application_fee_amount arrival_date created',
  boolean: 'automatic livemode',
  object: 'metadata trace_id',
  required: 'id object amount currency status created livemode',
}

/** Returns the names of an object's events: the prefix, such as `invoice.`, with each of the endings. */
const eventsOf = (prefix: string, endings: string): string[] =>
  endings.split(' ').map((ending) => `${prefix}.${ending}`)

/** The schema with the snapshot events of sales and subscriptions, https://docs.stripe.com/api/events/types. */
export const stripeSchema = outlineSchema(
  [
    [eventsOf('customer', 'created updated deleted'), customer],
    [eventsOf('charge', 'succeeded failed pending captured expired updated refunded'), charge],
    [eventsOf('charge.dispute', 'created updated closed funds_withdrawn funds_reinstated'), dispute],
    [
      eventsOf(
        'payment_intent',
        'created succeeded payment_failed canceled processing requires_action amount_capturable_updated partially_funded',
      ),
      paymentIntent,
    ],
    [eventsOf('checkout.session', 'completed expired async_payment_succeeded async_payment_failed'), checkout],
    [
      eventsOf(
        'invoice',
        'created finalized finalization_failed sent paid payment_succeeded payment_failed payment_action_required upcoming updated voided marked_uncollectible overdue will_be_due deleted overpaid',
      ),
      invoice,
    ],
    [
      eventsOf(
        'customer.subscription',
        'created updated deleted paused resumed trial_will_end pending_update_applied pending_update_expired',
      ),
      subscription,
    ],
    [eventsOf('refund', 'created updated failed'), refund],
    [eventsOf('payout', 'created updated paid failed canceled reconciliation_completed'), payout],
  ],
  {
    string: 'email name phone description currency stripe_customer_id',
    boolean: 'delinquent',
    object: 'address metadata',
  },
)
