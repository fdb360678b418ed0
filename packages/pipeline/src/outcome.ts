/**
 * Why an event does not continue.
 * - `drop`: the event is discarded and counted;
 * - `reject`: the event is kept as rejected, with a reason that says what its sender has to fix.
 */
export type Drop = { readonly kind: 'drop'; readonly reason: DropReason }
export type Reject = { readonly kind: 'reject'; readonly reason: RejectReason; readonly message: string }

/** Why an event was not stored again. Counted per source and hour in the table `dropped_events`. */
export type DropReason = 'duplicate' | 'duplicate_rejected'

/** Why an event is kept as rejected. The column `reason` carries `<reason>: <message>`. */
export type RejectReason =
  | 'over_batch_limit'
  | 'too_large'
  | 'too_deep'
  | 'malformed_json'
  | 'not_an_object'
  | 'unknown_type'
  | 'message_id_too_long'
  | 'invalid_id'
  | 'invalid_event_name'
  | 'invalid_object'
  | 'missing_ids'
  | 'missing_event_name'
  | 'missing_group_id'
  | 'missing_previous_id'
  | 'refused_by_event_store'

/** The event is counted under `reason` and not stored again. */
export const drop = (reason: DropReason): Drop => ({ kind: 'drop', reason })

/** The event is kept with its original, marked as rejected. `message` says what to fix. */
export const reject = (reason: RejectReason, message: string): Reject => ({ kind: 'reject', reason, message })
