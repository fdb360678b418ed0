import { Liquid } from 'liquidjs'
import { expect, test } from 'vitest'

const liquid = new Liquid()
const pumps = [' ', '<a', '<!--', '&amp;', '%-', ' \n']

test.each(Object.keys(liquid.filters))(
  'the filter %s processes 60,000 characters in linear time, whatever text is repeated',
  (name) => {
    for (const given of ['', ": '<', '>'", ': text']) {
      const template = liquid.parse(`{{ text | ${name}${given} }}`)
      for (const pump of pumps) {
        const text = `${pump.repeat(60_000 / pump.length)}\0`
        const before = process.threadCpuUsage()
        try {
          liquid.renderSync(template, { text })
        } catch {
          // A filter can reject a text, because this test measures only the time.
        }
        const { user } = process.threadCpuUsage(before)
        expect(user / 1000, `${pump} … ${given}`).toBeLessThan(1500)
      }
    }
  },
)
