const products = [
  { product_id: 'p-101', sku: 'ESP-1000', name: 'Espresso beans', price: 14.9, category: 'coffee' },
  { product_id: 'p-202', sku: 'GRD-01', name: 'Hand grinder', price: 79, category: 'gear' },
  { product_id: 'p-203', sku: 'FLT-100', name: 'Filter papers', price: 6.5, category: 'gear' },
  { product_id: 'p-301', sku: 'TEA-50', name: 'Oolong', price: 11.2, category: 'tea' },
] as const
const names = ['Ada', 'Grace', 'Alan', 'Edsger', 'Barbara'] as const
const currency = 'EUR'

/** The schema template of the demo's source. The events of the demo match it. */
export const demoTemplate = 'sourceSchemaTemplates/e-commerce'

/** An event of the demo's shop, in the form of a tracking call's batch. */
export type DemoEvent = { type: 'page' | 'track' | 'identify'; userId: string; event?: string } & Record<
  string,
  unknown
>

/** Returns the next event of an imaginary shop. `random` returns numbers from 0 to below 1, like Math.random. */
export const shopEvent = (random: () => number): DemoEvent => {
  const below = (limit: number): number => Math.floor(random() * limit)
  const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T
  const customer = below(200)
  const userId = `customer-${customer}`
  const product = { ...pick(products), quantity: 1 + below(3) }
  const value = Math.round(product.price * product.quantity * 100) / 100
  const track = (event: string, properties: object): DemoEvent => ({ type: 'track', userId, event, properties })
  return pick<() => DemoEvent>([
    () => ({
      type: 'page',
      userId,
      name: pick(['Home', 'Search', 'Product', 'Basket']),
      properties: { url: 'https://shop.example/' },
    }),
    () => track('Product Viewed', { ...product, currency, value }),
    () => track('Product Added', { cart_id: `cart-${customer}`, ...product, currency, value }),
    () => ({
      ...track('Order Completed', {
        order_id: `order-${below(1_000_000)}`,
        subtotal: value,
        total: Math.round((value + 4.9) * 100) / 100,
        revenue: value,
        shipping: 4.9,
        currency,
        products: [product],
      }),
      context: { test: random() < 0.2 },
    }),
    () => ({
      type: 'identify',
      userId,
      traits: {
        email: `${userId}@example.com`,
        first_name: pick(names),
        last_name: 'Shopper',
        created_at: '2026-01-05T09:00:00Z',
        accepts_marketing: random() < 0.5,
      },
    }),
  ])()
}
