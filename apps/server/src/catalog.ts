import type { Webhooks } from '@tributary/collect'
import type { DestinationDefinition } from '@tributary/connector-kit'
import { postgresql } from '@tributary/destination-postgresql'
import { rudderstack } from '@tributary/destination-rudderstack'
import { s3 } from '@tributary/destination-s3'
import { segment } from '@tributary/destination-segment'
import { slack } from '@tributary/destination-slack'
import { webhook } from '@tributary/destination-webhook'
import { sourceDefinitions } from '@tributary/sources'

/** What becomes of calls to the webhooks of the sources that have rules of their own, by slug. */
export const sourceWebhooks: Webhooks = new Map(
  sourceDefinitions.flatMap(({ slug, webhook }) => (webhook === undefined ? [] : [[slug, webhook] as const])),
)

/** Every destination there is, by the slug of its folder. */
export const destinationDefinitions: ReadonlyMap<string, DestinationDefinition> = new Map(
  [webhook, segment, rudderstack, slack, postgresql, s3].map((definition) => [definition.slug, definition]),
)
