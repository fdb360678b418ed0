import { testWire } from '@tributary/connector-kit/testing-wire'
import { wireCases } from './testing-wire-cases.ts'

testWire(wireCases)
