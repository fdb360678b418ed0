import { type Template, type Token, TypeGuards, toValueSync, Value } from 'liquidjs'

/**
 * Cost of the parts of a template each time they are evaluated, in units of template-work.ts. Every token of a tag
 * counts, whether it is reached or not: all conditions of an `if`, all values of every `when`, all candidates of a
 * `cycle`. So the cost is computed when the template is parsed, and no part of its text is evaluated for free.
 */
const perNode = 200
/** Cost of each value of a tag, for checking its truth or comparing it in a `case`. */
const perArgument = 300
const perToken = 120
const perName = 250
const perOperator = 300
const perFilter = 250

type Parts = Iterable<unknown>

/** Returns the tokens inside a token, and the cost of the token itself. */
const partsOf = (token: unknown): { cost: number; parts: Parts } => {
  // Named arguments of a filter are pairs of name and value.
  if (Array.isArray(token)) return { cost: 0, parts: token.slice(1) }
  if (TypeGuards.isOperatorToken(token)) return { cost: perOperator, parts: [] }
  if (TypeGuards.isPropertyAccessToken(token))
    return { cost: perName, parts: token.variable === undefined ? token.props : [token.variable, ...token.props] }
  if (TypeGuards.isRangeToken(token)) return { cost: perToken, parts: [token.lhs, token.rhs] }
  if (token instanceof Value || TypeGuards.isFilteredValueToken(token)) {
    const { initial, filters } = token
    return {
      cost: perToken + perFilter * filters.length,
      parts: [...initial.postfix, ...filters.flatMap(({ args }) => args)],
    }
  }
  return { cost: perToken, parts: [] }
}

const costOfTokens = (tokens: Parts): number => {
  let cost = 0
  const left: unknown[] = [...tokens]
  while (left.length > 0) {
    const { cost: own, parts } = partsOf(left.pop())
    cost += own
    left.push(...parts)
  }
  return cost
}

const lengthOf = ({ begin, end }: Token): number => end - begin

/** Returns the cost of a node. Tags without tokens, such as `raw`, are charged for their own text. */
const costOf = (template: Template): number => {
  const given = [...(template.arguments?.() ?? [])]
  return perNode + lengthOf(template.token) + perArgument * given.length + costOfTokens(given)
}

const childrenOf = (template: Template): readonly Template[] =>
  (toValueSync(template.children?.(false, true)) as readonly Template[] | undefined) ?? []

/**
 * Makes every node of a parsed template charge its cost before it is rendered. Returns the number of nodes; call it
 * once per template.
 */
export const countNodes = (templates: readonly Template[], count: (context: unknown, cost: number) => void): number => {
  let nodes = 0
  const left: Template[] = [...templates]
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    nodes++
    left.push(...childrenOf(node))
    const cost = costOf(node)
    const render = node.render.bind(node)
    node.render = (context, emitter) => {
      count(context, cost)
      return render(context, emitter)
    }
  }
  return nodes
}
