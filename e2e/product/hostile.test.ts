import { attacks, createHostileWorld, type HostileWorld, type Product, startProduct } from '@tributary/test-kit'
import { afterAll, beforeAll, test } from 'vitest'
import { suffer } from './hostile-list.ts'

let product: Product
let world: HostileWorld

beforeAll(async () => {
  product = await startProduct()
  world = await createHostileWorld(product)
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
  await product?.[Symbol.asyncDispose]()
})

test.for(attacks.map((attack) => [attack.what, attack] as const))(
  '%s: is stopped at its limit with a message, and no process grows by 100 MiB',
  ([, attack]) => suffer(attack, world, [product]),
)
