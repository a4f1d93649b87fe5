import type { Express } from 'express'
import { ApiError } from '../../schema/errors.ts'
import type { Route } from './route.ts'

/** Answers 405 where a path is known and the method is none of its own. To be called when the routes are mounted. */
export function refuseOtherMethods(
  app: Express,
  routes: readonly Route[],
  isMeant: (routesOfPath: readonly Route[]) => boolean,
): void {
  for (const path of new Set(routes.map(each => each.path))) {
    const routesOfPath = routes.filter(each => each.path === path)
    if (!isMeant(routesOfPath)) continue
    const own = routesOfPath.map(({ method }) => method)
    const allow = own.includes('GET') ? [...own, 'HEAD'] : own
    // Not `app.all`, which makes a layer for each method that there is: 60 ms of CPU of each start.
    app.route(path).all(({ method }) => {
      throw new ApiError(405, 'MethodNotAllowed', `${path} takes ${allow.join(', ')}, not ${method}`, { allow })
    })
  }
}
