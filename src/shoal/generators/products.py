"""The products of the demo's supermarket: department -> aisle -> products, the most popular product of an aisle first.

All names are made up for Shoal. Every label is unique across all levels, and contains neither comma nor semicolon.
"""

from __future__ import annotations

ROOT = "groceries"

# One string per aisle keeps the list readable. product_tree splits it.
DEPARTMENTS: dict[str, dict[str, str]] = {
    "fresh produce": {
        "fresh fruit": "bananas, apples, oranges, grapes, strawberries, lemons",
        "exotic fruit": "mangoes, pineapple, papaya, dragon fruit, lychees, passion fruit",
        "salad": "tomatoes, cucumber, lettuce, bell peppers",
        "vegetables": "onions, potatoes, carrots, garlic, broccoli, mushrooms",
        "unusual vegetables": "fennel, kohlrabi, artichokes, celeriac, okra, samphire",
        "fresh herbs": "basil, parsley, coriander, mint, tarragon, lemongrass",
    },
    "dairy and eggs": {
        "milk": "whole milk, semi-skimmed milk, skimmed milk",
        "milk alternatives": "oat milk, soy milk, almond milk, rice milk, goat milk, kefir",
        "eggs": "free-range eggs, organic eggs, barn eggs",
        "yoghurt": "plain yoghurt, strawberry yoghurt, greek yoghurt, vanilla yoghurt",
        "butter and cream": "butter, cream, margarine, sour cream",
        "everyday cheese": "cheddar, mozzarella, parmesan, sliced gouda",
        "cheese counter": "brie, manchego, roquefort, gruyere, taleggio, stilton, smoked scamorza",
    },
    "bakery and breakfast": {
        "bread": "white bread, wholemeal bread, baguette, bread rolls",
        "speciality bread": "ciabatta, rye bread, pita bread, naan, spelt bread, gluten-free bread, brioche",
        "pastries": "croissants, muffins, cinnamon rolls, doughnuts",
        "cereals": "cornflakes, muesli, porridge oats, granola",
        "spreads": "strawberry jam, honey, peanut butter, chocolate spread",
        "coffee": "ground coffee, coffee beans, instant coffee, coffee capsules",
        "tea": "black tea, green tea, peppermint tea, chamomile tea, rooibos tea, matcha",
    },
    "meat and fish": {
        "poultry": "chicken breast, whole chicken, chicken thighs, turkey breast",
        "beef and pork": "minced beef, pork chops, steak, meatballs",
        "barbecue meat": "sausages, beef burgers, chicken wings, spare ribs",
        "game and lamb": "lamb chops, leg of lamb, venison, duck breast, rabbit, veal liver",
        "cold cuts": "cooked ham, salami, bacon, turkey slices",
        "cured specialities": "prosciutto, chorizo, pancetta, bresaola, mortadella, duck rillettes",
        "fish": "salmon fillets, cod fillets, prawns, smoked salmon, sea bass, mussels, squid",
    },
    "pantry": {
        "pasta": "spaghetti, penne, fusilli, lasagne sheets",
        "pasta sauces": "tomato sauce, pesto, bolognese sauce, arrabbiata sauce",
        "rice and grains": "basmati rice, risotto rice, couscous, quinoa, bulgur, wild rice, polenta",
        "tins and jars": "tinned tomatoes, tinned tuna, chickpeas, kidney beans, sweetcorn",
        "oil and vinegar": "olive oil, sunflower oil, balsamic vinegar, sesame oil, walnut oil, sherry vinegar",
        "spices": "black pepper, sea salt, paprika, oregano, curry powder, cumin, saffron, star anise, sumac",
        "asian cooking": "soy sauce, coconut milk, egg noodles, red curry paste, rice paper, miso paste, nori sheets",
        "mexican cooking": "tortilla wraps, salsa, taco shells, refried beans, chipotle paste, jalapenos",
    },
    "baking": {
        "flour and sugar": "plain flour, caster sugar, brown sugar, icing sugar",
        "baking ingredients": "baking powder, vanilla sugar, cooking chocolate, ground almonds",
    },
    "drinks": {
        "water": "still water, sparkling water, flavoured water",
        "soft drinks": "cola, diet cola, lemonade, tonic water, ginger ale",
        "juice": "orange juice, apple juice, multivitamin juice, tomato juice, pomegranate juice",
        "beer": "lager, pilsner, wheat beer, alcohol-free beer",
        "wine": "red wine, white wine, rose wine, sparkling wine",
        "spirits": "gin, vodka, rum, whisky, tequila, absinthe, sloe gin, mezcal",
    },
    "snacks and sweets": {
        "crisps and nuts": "potato crisps, tortilla chips, salted peanuts, cashews",
        "dips": "hummus, guacamole, tzatziki, taramasalata, baba ganoush, black olive tapenade",
        "chocolate": "milk chocolate, dark chocolate, chocolate bars, pralines",
        "sweets": "gummy bears, liquorice, mints, marshmallows",
        "biscuits": "chocolate biscuits, shortbread, oat biscuits, savoury crackers",
    },
    "frozen food": {
        "frozen pizza": "margherita pizza, pepperoni pizza, vegetable pizza, tuna pizza",
        "frozen vegetables": "frozen peas, frozen spinach, oven chips, mixed vegetables",
        "ice cream": "vanilla ice cream, chocolate ice cream, ice lollies, mango sorbet",
        "frozen specialities": "fish fingers, spring rolls, pierogi, edamame, falafel, gyoza, puff pastry",
    },
    "baby supplies": {
        "nappies": "nappies size 3, nappies size 4, nappies size 5",
        "baby care": "baby wipes, baby shampoo, nappy cream",
        "baby food": "carrot puree, apple puree, baby porridge, vegetable puree",
        "infant milk": "infant formula, follow-on milk, hypoallergenic formula, soy formula",
    },
    "household and pets": {
        "paper goods": "toilet paper, kitchen roll, tissues, paper napkins",
        "laundry": "laundry detergent, fabric softener, stain remover",
        "cleaning": "washing-up liquid, dishwasher tablets, all-purpose cleaner, bin bags",
        "cleaning specialities": "limescale remover, silver polish, oven cleaner, drain cleaner, leather soap",
        "light and power": "batteries, light bulbs, candles, matches, extension lead",
        "shopping bags": "paper bag, reusable bag, cool bag",
        "flowers and garden": "cut flowers, potted herbs, potting soil, tulip bulbs, birdseed",
        "cat supplies": "cat food, cat litter, cat treats",
        "dog supplies": "dog food, dog biscuits, poop bags",
        "small animals": "hamster food, hay, goldfish flakes, parrot seed, reptile lamp",
    },
    "health and beauty": {
        "toiletries": "toothpaste, shower gel, shampoo, deodorant",
        "cosmetics": "lip balm, hand cream, sun cream, nail polish, mascara, hair dye",
        "pharmacy": "plasters, painkillers, vitamin C, cough drops, hay fever tablets, pregnancy test, nicotine gum",
    },
}


def product_tree() -> dict[str, dict[str, dict[str, list[str]]]]:
    """Return the tree from the root down, for :meth:`shoal.data.Hierarchy.from_tree`."""
    return {
        ROOT: {
            department: {aisle: products.split(", ") for aisle, products in aisles.items()}
            for department, aisles in DEPARTMENTS.items()
        }
    }


def aisles() -> dict[str, list[str]]:
    """Return the products of every aisle, the most popular first."""
    return {aisle: products for department in product_tree()[ROOT].values() for aisle, products in department.items()}
