import { ExactNumber } from '@tributary/connector-kit'
import { describe, expect, it } from 'vitest'
import { noteOf } from './left-out.ts'
import { moneyOfProduct, type ProductInput, productsOf } from './products.ts'

/** Returns the products without the objects from which they were read. */
const read = (input: Partial<ProductInput>) => {
  const { products, leftOut } = productsOf({ eventName: 'Order Completed', ...input })
  return { products: products.map((product) => ({ ...product, source: undefined })), leftOut }
}

const shoe = { product_id: 'p1', name: 'Shoe', brand: 'B', category: 'Shoes', variant: 'red', price: 10, quantity: 3 }
const readShoe = { id: 'p1', name: 'Shoe', brand: 'B', category: 'Shoes', variant: 'red', price: 10, quantity: 3 }

it.each([
  ['an event about people', 'Lead Created', []],
  ['an event of a product', 'Product Viewed', [{ name: 'Ada Lovelace' }]],
])('the name in the properties of %s, as the only item, counts as that of the event', (_, eventName, wanted) => {
  const { products } = read({ list: [{ name: 'Ada Lovelace' }], one: { name: 'Ada Lovelace' }, eventName })
  expect(products.map(({ name }) => ({ name }))).toEqual(wanted)
})

/** "One of item_id or item_name is required." (Google Analytics, "Recommended events", item parameters) */
describe('a list of products', () => {
  it.each<[string, unknown, object | undefined]>([
    ['with an ID and a name', shoe, readShoe],
    ['with only a name', { name: 'Shoe', price: 10, quantity: 1 }, { name: 'Shoe', price: 10, quantity: 1 }],
    ['with only an ID', { sku: 'a' }, { id: 'a' }],
    ['with a number as ID', { product_id: 7 }, { id: '7' }],
    [
      'with the names of Google',
      { item_id: 'a', item_name: 'Shoe', item_brand: 'B' },
      { id: 'a', name: 'Shoe', brand: 'B' },
    ],
    ['with the names of TikTok', { content_id: 'a' }, { id: 'a' }],
    ['with the names of Meta', { id: 'a', item_price: 5 }, { id: 'a', price: 5 }],
    ['with a position and a coupon', { id: 'a', position: 1, coupon: 'X' }, { id: 'a', index: 1, coupon: 'X' }],
    ['with prices as text', { id: 'a', price: '5.00', quantity: '2' }, { id: 'a', price: 5, quantity: 2 }],
    ['with a long number as ID', { id: new ExactNumber('12345678901234567890') }, { id: '12345678901234567890' }],
    ['with a name in Arabic', { name: 'حذاء' }, { name: 'حذاء' }],
    ['with a name in Chinese and emoji', { name: '鞋 👟' }, { name: '鞋 👟' }],
    ['with a negative price, such as a discount', { id: 'd', price: -5 }, { id: 'd', price: -5 }],
    ['with neither ID nor name', { price: 10 }, undefined],
    ['with blank texts', { product_id: ' ', name: '' }, undefined],
    ['that is a number', 5, undefined],
    ['that is null', null, undefined],
    ['that is a list', ['p1'], undefined],
  ])('a product %s', (_, given, wanted) => {
    expect(read({ list: [given] })).toEqual(
      wanted === undefined
        ? { products: [], leftOut: ['1 of 1 products: neither ID nor name'] }
        : { products: [wanted], leftOut: [] },
    )
  })

  it.each([
    ['with a comma', '12,50'],
    ['of words', 'free'],
    ['beyond every double', new ExactNumber('1e400')],
    ['as an object', {}],
  ])('a price %s is left out, and the product stays', (_, price) => {
    expect(read({ list: [{ id: 'a', price }] })).toEqual({
      products: [{ id: 'a' }],
      leftOut: ['price of a product: not a number'],
    })
  })

  it('a list of 10,000 products is cut to 200, with a note', () => {
    const { products, leftOut } = read({ list: Array.from({ length: 10_000 }, (_, id) => ({ id })) })
    expect(products).toHaveLength(200)
    expect(leftOut).toEqual(['the products after the first 200'])
  })
})

describe('a product at the root of an event', () => {
  it.each<[string, string, unknown, object[]]>([
    ['with an ID', 'Product Added', shoe, [readShoe]],
    ['with an ID in an event of another name', 'Basket', { product_id: 'p1' }, [{ id: 'p1' }]],
    ['with a SKU', 'Basket', { sku: 's1' }, [{ id: 's1' }]],
    ['with only a name', 'Product Viewed', { name: 'Shoe' }, [{ name: 'Shoe' }]],
    ['with the name of a person', 'Lead Created', { name: 'Ada', price: 5 }, []],
    ['with the ID of anything', 'Lead Created', { id: 'lead-1' }, []],
    ['with an order', 'Order Completed', { order_id: 'o-1', revenue: 25 }, []],
    ['that is a text', 'Product Added', 'p1', []],
    ['that is absent', 'Product Added', undefined, []],
  ])('a product at the root %s', (_, eventName, one, wanted) => {
    expect(read({ one, eventName })).toEqual({ products: wanted, leftOut: [] })
  })

  it('counts only where the list has no product', () => {
    const one = { product_id: 'root' }
    expect(read({ one, list: [{ id: 'a' }] }).products).toEqual([{ id: 'a' }])
    expect(read({ one, list: [] }).products).toEqual([{ id: 'root' }])
  })
})

/**
 * TikTok, "About parameters": price is of one item, value of all. Google Analytics, "Recommended events": value is "the
 * sum of (price * quantity) for all items".
 */
describe('the value of a product', () => {
  const money = (input: object, needsCurrency = true) =>
    moneyOfProduct({ currency: 'EUR', ...input }, { needsCurrency })
  it.each<[string, object, number]>([
    ['price times quantity', { price_of_one: 10, one_product: { quantity: 3 } }, 30],
    ['of texts', { price_of_one: '10.00', one_product: { quantity: '3' } }, 30],
    ['of decimals', { price_of_one: 0.1, one_product: { quantity: 3 } }, 0.3],
    ['of one piece without a quantity', { price_of_one: 10, one_product: {} }, 10],
    ['of one piece without a product', { price_of_one: 10 }, 10],
    ['as given', { value: 25, price_of_one: 10, one_product: { quantity: 3 } }, 25],
    ['as given, also zero', { value: 0, price_of_one: 10, one_product: { quantity: 3 } }, 0],
    ['for a blank text', { value: ' ', price_of_one: 10, one_product: { quantity: 3 } }, 30],
  ])('the value is %s', (_, input, value) => {
    expect(money(input)).toEqual({ money: { value, currency: 'EUR' }, leftOut: [] })
  })

  it.each([0, -1, 'few', '1,5', {}])('there is no value of a product whose quantity is %j', (quantity) => {
    expect(money({ price_of_one: 10, one_product: { quantity } })).toEqual({
      money: { currency: 'EUR' },
      leftOut: ['value: the quantity is not a positive number'],
    })
  })

  it.each<[string, object, string]>([
    ['a price with a comma', { price_of_one: '12,50' }, 'not a number'],
    ['a negative price', { price_of_one: -5, one_product: { quantity: 2 } }, 'negative'],
    ['a price of too many digits', { price_of_one: new ExactNumber('1e400') }, 'more digits'],
    ['a total of too many digits', { price_of_one: 9e15, one_product: { quantity: 9 } }, 'more digits'],
    ['a value without a currency', { value: 5, currency: '' }, 'needs a currency'],
    ['an unknown currency', { price_of_one: 5, currency: 'XYZ' }, 'not a currency'],
  ])('%s is a problem', (_, input, problem) => {
    expect(money(input)).toMatchObject({ problem: expect.stringContaining(problem) })
  })

  it('a price without a currency is left out where the platform needs one', () => {
    const leftOut = ['value: the price has no currency']
    expect(money({ price_of_one: 5, currency: undefined })).toEqual({ money: {}, leftOut })
    expect(money({ price_of_one: 5, currency: undefined }, false)).toEqual({ money: { value: 5 }, leftOut: [] })
  })
})

it('a note names what was left out, at most five parts of 160 characters', () => {
  expect(noteOf([])).toBeUndefined()
  expect(noteOf(['ga_x: a reserved name', 'tax: not a number'])).toBe(
    'Sent without ga_x: a reserved name; tax: not a number',
  )
  const note = noteOf(Array.from({ length: 1000 }, () => 'x'.repeat(1000))) ?? ''
  expect(note).toMatch(/; and 995 more$/)
  expect(note.length).toBeLessThan(900)
})
