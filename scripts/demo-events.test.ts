import { parseSourceSchema, validatedDataOf, validateEvent } from '@tributary/contract'
import { expect, test } from 'vitest'
import { eCommerce } from '../packages/control/src/source-schema-templates/e-commerce.ts'
import { templateSchema } from '../packages/control/src/source-schema-templates/template.ts'
import { demoTemplate, shopEvent } from './demo-events.ts'

/** Creates a generator of pseudo-random numbers that are the same in each run. */
const numbers = (): (() => number) => {
  let state = 7
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}

test('every event of the demo matches the initial schema of its source', () => {
  expect(demoTemplate).toBe(`sourceSchemaTemplates/${eCommerce.slug}`)
  const schema = parseSourceSchema(templateSchema(eCommerce))
  const random = numbers()
  const seen = new Set<string>()
  for (let sent = 0; sent < 500; sent++) {
    const event = shopEvent(random)
    const title = event.event ?? event.type
    seen.add(title)
    expect(
      validateEvent(schema, { type: event.type, title, data: validatedDataOf(event.type, event) }),
      JSON.stringify(event),
    ).toEqual({ compatibility: 'compatible', problems: [] })
  }
  expect([...seen].sort()).toEqual(['Order Completed', 'Product Added', 'Product Viewed', 'identify', 'page'])
})
