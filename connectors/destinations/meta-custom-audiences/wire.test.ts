import { testWire } from '../../wire/conversions/testing-wire.ts'
import { wireCases } from './testing-wire-cases.ts'

testWire(wireCases)
