import type { TargetField } from '@tributary/connector-kit'

const text = (name: string, label: string, help: string): TargetField => ({ name, label, help, type: 'string' })
const number = (name: string, label: string, help: string): TargetField => ({ name, label, help, type: 'number' })

/** The fields that `productsOf` reads of a product. */
const productFields = {
  product_id: text('product_id', 'Product ID', 'Of your catalog.'),
  name: text('name', 'Name', 'Of the product.'),
  brand: text('brand', 'Brand', 'Of the product.'),
  category: text('category', 'Category', 'Of the product.'),
  variant: text('variant', 'Variant', 'Such as red or size 9.'),
  coupon: text('coupon', 'Coupon', 'For this product.'),
  affiliation: text('affiliation', 'Affiliation', 'The store or partner that supplies the product.'),
  price: number('price', 'Price', 'Of one piece.'),
  quantity: number('quantity', 'Quantity', 'The number of pieces.'),
  discount: number('discount', 'Discount', 'For one piece.'),
  currency: text('currency', 'Currency', 'A code such as USD.'),
  position: number('position', 'Position', 'In a list of products.'),
} as const satisfies Readonly<Record<string, TargetField>>

/** The name of a field of a product. */
export type ProductField = keyof typeof productFields

/** Returns fields of a product, in the order of the names. */
export const productFieldsOf = (...names: readonly ProductField[]): readonly TargetField[] =>
  names.map((name) => productFields[name])
