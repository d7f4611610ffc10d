/** Characters that fill one eighth of a cell, two eighths, and so on. */
const eighths = ['▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'] as const;

export interface Bar {
  readonly filled: string;
  readonly empty: string;
}

/**
 * A bar of `width` characters. It is full only for a share of 1, and empty only for a share of 0:
 * rounding must not hide the last remaining or the first used part.
 *
 * @param share from 0 to 1
 */
export function barOf(share: number, width: number): Bar {
  const steps = width * 8;
  const rounded = Math.round(share * steps);
  const filledSteps =
    share <= 0 ? 0 : share >= 1 ? steps : Math.min(steps - 1, Math.max(1, rounded));
  const full = Math.floor(filledSteps / 8);
  const filled = '█'.repeat(full) + (eighths[(filledSteps % 8) - 1] ?? '');
  return { filled, empty: '░'.repeat(width - filled.length) };
}
